"""Headers in the name of a caller: the seam's, and the caller's token where the server is meant by it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from pymongo import MongoClient

from runtime.access.guard import open_call
from runtime.call import Call
from runtime.errors import Denied, Misconfigured, RemoteFailed, Unauthenticated
from runtime.mcp_client import ClientOptions, check_forwarding
from runtime.mcp_client.breaker import MOST_FAILURES
from runtime.mcp_client.clients import McpClients
from runtime.principal import Identity, Principal
from runtime.seams import Seams
from runtime.settings import Settings
from tests.http.world import open_world
from tests.mcp_client.servers import Small


def options_for(port: int, *, forwards: bool) -> ClientOptions:
    url = f"http://127.0.0.1:{port}/mcp"
    return ClientOptions("small", "streamable-http", url, forwards_token=forwards, allows_private=True)


@contextmanager
def callers(mongo_uri: str, mongo_client: MongoClient[Any], **more: Any) -> Iterator[Callable[[str], Call]]:
    """The calls of users of a service; ``more``: its settings, by attribute name, and ``seams``."""
    with open_world(mongo_uri, mongo_client, more.pop("seams", None), **more) as world:
        service = world.app.state.service

        def open_for(caller: str) -> Call:
            assert world.client.portal is not None
            return world.client.portal.call(open_call, service, world.tokens[caller], None, "r1", "logistics")

        yield open_for


async def sent(options: ClientOptions, *calls: Call) -> list[Mapping[str, str]]:
    """The headers that the server saw from each of these calls, side by side."""
    clients = McpClients({options.name: options})
    try:
        answers = await asyncio.gather(*(clients.call_tool("small", "headers", {}, call) for call in calls))
    finally:
        await clients.close()
    return [answer.content for answer in answers]


def test_a_token_is_forwarded_to_whom_it_is_meant_for(
    port: int, mongo_uri: str, mongo_client: MongoClient[Any]
) -> None:
    with callers(mongo_uri, mongo_client, base_url=f"http://127.0.0.1:{port}") as open_for:
        calls = [open_for("acme"), open_for("globex")] * 4
        seen = asyncio.run(sent(options_for(port, forwards=True), *calls))
        assert [one["authorization"] for one in seen] == [f"Bearer {call.token}" for call in calls]
        [plain] = asyncio.run(sent(options_for(port, forwards=False), calls[0]))
        assert "authorization" not in plain


ELSEWHERE = (
    "http://127.0.0.1:{other}",
    "https://127.0.0.1:{port}",
    "http://localhost:{port}",
    "http://127.0.0.1:{port}/mcp2",
)


@pytest.mark.parametrize("base_url", ELSEWHERE)
def test_it_is_not_sent_to_anybody_else(
    base_url: str, port: int, small: Small, mongo_uri: str, mongo_client: MongoClient[Any]
) -> None:
    base_url = base_url.format(port=port, other=port - 1)
    with callers(mongo_uri, mongo_client, base_url=base_url) as open_for:
        before = len(small.calls)
        with pytest.raises(Denied, match="not meant for"):
            asyncio.run(sent(options_for(port, forwards=True), open_for("acme")))
        without = replace(open_for("acme"), token=None)
        with pytest.raises(Unauthenticated):
            asyncio.run(sent(options_for(port, forwards=True), without))
        assert len(small.calls) == before


def test_it_is_not_sent_for_a_user_as_whom_its_holder_acts(
    port: int, small: Small, mongo_uri: str, mongo_client: MongoClient[Any]
) -> None:
    """The server would see the holder, and do what the other may not."""
    with callers(mongo_uri, mongo_client, base_url=f"http://127.0.0.1:{port}") as open_for:
        call, before = open_for("acme"), len(small.calls)
        holder = call.principal
        acting = replace(
            open_for("acme-user").principal,
            impersonator=Identity(holder.user_id, holder.subject, call.realm, holder.roles, holder.domain),
        )
        with pytest.raises(Denied, match="call it as yourself"):
            asyncio.run(sent(options_for(port, forwards=True), replace(call, principal=acting)))
        assert len(small.calls) == before
        [plain] = asyncio.run(sent(options_for(port, forwards=False), replace(call, principal=acting)))
        assert "authorization" not in plain


FORWARDING = {
    "MCP_CLIENT_BILLING_TRANSPORT_TYPE": "http", "MCP_CLIENT_BILLING_URL": "https://mcp.example",
    "MCP_CLIENT_BILLING_FORWARD_TOKEN": "true",
}  # fmt: skip
LENT = {"SERVICE_AGENT_TENANT_MAIN_RUNASUSERID": "runner@acme.example"}


@pytest.mark.parametrize(
    ("words", "is_refused"),
    [
        (FORWARDING | LENT, True),
        (FORWARDING, False),
        (LENT, False),
        (FORWARDING | {"SERVICE_AGENT_TENANT_MAIN_RUNASUSERID": " "}, False),
        (FORWARDING | {"SERVICE_AGENT_TENANT_MAIN_MAXFINDLIMIT": "5"}, False),
        (FORWARDING | LENT | {"MCP_CLIENT_BILLING_FORWARD_TOKEN": "false"}, False),
    ],
)
def test_no_token_is_forwarded_where_tools_run_as_another_user(
    words: dict[str, str], is_refused: bool
) -> None:
    settings = Settings.read(words)
    if not is_refused:
        check_forwarding(settings)
        return
    with pytest.raises(Misconfigured) as caught:
        check_forwarding(settings)
    assert str(caught.value).startswith("mcp.client.billing.forward-token: in the realm main")
    assert "service.agent.tenant.main.runAsUserId" in str(caught.value)


def test_the_application_supplies_headers_for_each_caller(
    port: int, mongo_uri: str, mongo_client: MongoClient[Any]
) -> None:
    async def supply(client: str, principal: Principal, realm: str) -> Mapping[str, str]:
        return {"X-For": f"{client} {principal.user_id} {realm}"}

    with callers(mongo_uri, mongo_client, seams=Seams(mcp_headers=supply)) as open_for:
        ours = [open_for("acme"), open_for("globex")]
        seen = asyncio.run(sent(options_for(port, forwards=False), *ours))
        assert [one["x-for"] for one in seen] == [
            f"small {call.principal.user_id} {call.realm}" for call in ours
        ]


@pytest.mark.parametrize("status", [401, 403])
def test_the_refusal_of_one_caller_keeps_nobody_else_from_asking(
    status: int, port: int, small: Small, mongo_uri: str, mongo_client: MongoClient[Any]
) -> None:
    async def supply(_client: str, principal: Principal, _realm: str) -> Mapping[str, str]:
        return {"X-For": principal.user_id}

    async def ask(refused: Call, other: Call) -> object:
        options = options_for(port, forwards=False)
        clients = McpClients({options.name: options})
        try:
            for _again in range(2 * MOST_FAILURES):
                with pytest.raises(RemoteFailed, match=r"small refused the call \(401 or 403\)"):
                    await clients.call_tool("small", "headers", {}, refused)
            return (await clients.call_tool("small", "headers", {}, other)).content["x-for"]
        finally:
            await clients.close()

    with callers(mongo_uri, mongo_client, seams=Seams(mcp_headers=supply)) as open_for:
        one, other = open_for("acme"), open_for("globex")
        small.refused = {one.principal.user_id: status}
        try:
            assert asyncio.run(ask(one, other)) == other.principal.user_id
        finally:
            small.refused = {}
