"""Calls of tools elsewhere, over each transport, and what callers learn when they fail."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from runtime.errors import NotFound, RemoteFailed, RemoteUnavailable, ServiceError, ValidationFailed
from runtime.mcp_client import ClientOptions
from runtime.mcp_client.breaker import MOST_FAILURES
from runtime.mcp_client.clients import McpClients
from tests.mcp_client.servers import Refusing, Small, run_http, run_refusing, run_websocket
from tests.patience import wait_until

PROGRAM = str(Path(__file__).with_name("servers.py"))
STDIO = ClientOptions("small", "stdio", command=(sys.executable, PROGRAM), environment={"SECRET": "s3"})
REFUSED = "refused the call (401 or 403): check what signs in there"
TRANSPORTS = ("streamable-http", "http", "websocket", "stdio")


@asynccontextmanager
async def clients_of(*options: ClientOptions, **more: Any) -> AsyncIterator[McpClients]:
    clients = McpClients({one.name: one for one in options}, **more)
    try:
        yield clients
    finally:
        await clients.close()


@asynccontextmanager
async def reached(transport: str, small: Small, port: int, **more: Any) -> AsyncIterator[McpClients]:
    """The server ``small`` over a transport."""
    headers = {"X-Key": "k1"}
    if transport == "stdio":
        options = STDIO
    elif transport == "websocket":
        async with run_websocket(small) as (own, _seen):
            options = ClientOptions(
                "small", "websocket", f"ws://127.0.0.1:{own}", headers=headers, allows_private=True
            )
            async with clients_of(options, **more) as clients:
                yield clients
        return
    else:
        path = {"streamable-http": "mcp", "http": "sse"}[transport]
        options = ClientOptions(
            "small", transport, f"http://127.0.0.1:{port}/{path}", headers=headers, allows_private=True
        )  # type: ignore[arg-type]
    async with clients_of(options, **more) as clients:
        yield clients


def refusal(
    error: type[ServiceError], work: Coroutine[Any, Any, Any]
) -> Callable[[], Coroutine[Any, Any, str]]:
    async def ask() -> str:
        with pytest.raises(error) as raised:
            await work
        return raised.value.message

    return ask


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_tools_are_listed_called_and_checked(transport: str, small: Small, port: int) -> None:
    async def run() -> None:
        async with reached(transport, small, port, exposes_resources=True) as clients:
            tools = {tool.name: tool for tool in await clients.list_tools("small")}
            assert {"add", "later", "list_resources", "get_resource"} <= set(tools)
            assert tools["add"].is_safe
            assert not tools["headers"].is_safe
            answer = await clients.call_tool("small", "add", {"a": 1, "b": 2})
            assert (answer.content, answer.is_error) == ({"sum": 3}, False)
            refused = await clients.call_tool("small", "refuse", {})
            assert refused.is_error
            assert refused.content == {"content": [{"type": "text", "text": "not today"}]}
            found = await clients.call_tool("small", "list_resources", {})
            assert found.content["resources"][0]["uri"] == "small://one"
            read = await clients.call_tool("small", "get_resource", {"uri": "small://one"})
            assert read.content["contents"][0]["text"] == "this is small://one"
            message = await refusal(RemoteFailed, clients.call_tool("small", "fault", {}))()
            assert "secret" not in message
            assert "-32055" in message
            assert (await clients.call_tool("small", "add", {"a": 1})).content == {"sum": 1}

    asyncio.run(run())


WRONG: tuple[tuple[dict[str, Any], str], ...] = (
    ({}, "a"),
    ({"a": "1"}, "integer"),
    ({"a": 1, "b": -1}, "minimum"),
    ({"a": 1, "c": 2}, "c"),
    ({"a": 1, "code": "A"}, "does not match"),
)


@pytest.mark.parametrize(("arguments", "told"), WRONG)
def test_wrong_arguments_are_not_sent(arguments: dict[str, Any], told: str, small: Small, port: int) -> None:
    async def run() -> None:
        async with reached("streamable-http", small, port) as clients:
            before = len(small.calls)
            message = await refusal(ValidationFailed, clients.call_tool("small", "add", arguments))()
            assert told in message
            assert len(small.calls) == before

    asyncio.run(run())


def test_what_is_unknown_is_named_with_the_nearest(small: Small, port: int) -> None:
    async def run() -> None:
        async with reached("streamable-http", small, port) as clients:
            assert "add" in await refusal(NotFound, clients.call_tool("small", "ad", {}))()
            assert "small" in await refusal(NotFound, clients.call_tool("smal", "add", {}))()
            await refusal(NotFound, clients.call_tool("small", "list_resources", {}))()

    asyncio.run(run())


def test_a_schema_that_refers_elsewhere_fetches_nothing(small: Small, port: int) -> None:
    async def run() -> None:
        async with reached("streamable-http", small, port) as clients:
            await refusal(RemoteFailed, clients.call_tool("small", "foreign", {"x": 1}))()

    asyncio.run(run())


@pytest.mark.parametrize("transport", ["streamable-http", "http"])
def test_static_headers_are_sent(transport: str, small: Small, port: int) -> None:
    async def run() -> None:
        async with reached(transport, small, port) as clients:
            sent = (await clients.call_tool("small", "headers", {})).content
            assert sent["x-key"] == "k1"
            assert "authorization" not in sent

    asyncio.run(run())


def test_a_program_gets_its_own_environment(monkeypatch: pytest.MonkeyPatch, small: Small, port: int) -> None:
    monkeypatch.setenv("OTHER", "not for others")

    async def run() -> None:
        async with reached("stdio", small, port) as clients:
            assert (await clients.call_tool("small", "environment", {})).content == {
                "SECRET": "s3",
                "OTHER": None,
            }

    asyncio.run(run())


def test_a_program_that_ends_is_started_again(small: Small, port: int) -> None:
    async def run() -> None:
        async with reached("stdio", small, port) as clients:
            await clients.list_tools("small")
            await refusal(RemoteFailed, clients.call_tool("small", "die", {}))()
            assert (await clients.call_tool("small", "add", {"a": 4})).content == {"sum": 4}

    asyncio.run(run())


def test_many_calls_share_one_connection(small: Small) -> None:
    async def run() -> None:
        async with run_websocket(small) as (own, seen):
            options = ClientOptions(
                "small", "websocket", f"ws://127.0.0.1:{own}", headers={"X-Key": "k1"}, allows_private=True
            )
            async with clients_of(options) as clients:
                answers = await asyncio.gather(
                    *(clients.call_tool("small", "add", {"a": at}) for at in range(50))
                )
            assert [answer.content["sum"] for answer in answers] == list(range(50))
            assert len(seen) == 1
            assert (seen[0]["x-key"], seen[0]["subprotocol"]) == ("k1", "mcp")

    asyncio.run(run())


def test_one_slow_call_leaves_the_others_alone(small: Small) -> None:
    async def run() -> None:
        async with run_websocket(small) as (own, seen):
            options = ClientOptions(
                "small", "websocket", f"ws://127.0.0.1:{own}", seconds=0.5, allows_private=True
            )
            small.pause = 30.0
            async with clients_of(options) as clients:
                await clients.list_tools("small")
                slow = asyncio.create_task(refusal(RemoteFailed, clients.call_tool("small", "wait", {}))())
                assert (await clients.call_tool("small", "add", {"a": 1})).content == {"sum": 1}
                assert await slow == "the MCP server small did not answer within 0.5 s"
                assert (await clients.call_tool("small", "add", {"a": 2})).content == {"sum": 2}
            assert len(seen) == 1

    asyncio.run(run())


def test_the_refusal_of_one_call_is_not_that_of_another(small: Small, port: int) -> None:
    """Calls that fail count, though one on the same connection was refused in the meantime."""

    async def run() -> None:
        url, headers = f"http://127.0.0.1:{port}/mcp", {"X-For": "all"}
        options = ClientOptions(
            "small", "streamable-http", url, headers=headers, seconds=0.5, allows_private=True
        )
        small.pause = 2.0
        async with clients_of(options) as clients:
            await clients.list_tools("small")
            small.calls.clear()
            slow = [clients.call_tool("small", "wait", {}) for _call in range(MOST_FAILURES)]
            failing = [asyncio.create_task(refusal(RemoteFailed, one)()) for one in slow]
            await asyncio.to_thread(wait_until, lambda: len(small.calls) == MOST_FAILURES)
            small.refused = {"all": 401}
            message = await refusal(RemoteFailed, clients.call_tool("small", "meta", {}))()
            assert message == "the MCP server small refused the request with the code -32603"
            assert set(await asyncio.gather(*failing)) == {"the MCP server small did not answer within 0.5 s"}
            await refusal(RemoteUnavailable, clients.call_tool("small", "meta", {}))()

    try:
        asyncio.run(run())
    finally:
        small.refused, small.pause = {}, 0.0


def test_a_refused_request_that_closes_the_connection_is_still_a_refusal(small: Small, port: int) -> None:
    async def run() -> None:
        url, headers = f"http://127.0.0.1:{port}/sse", {"X-For": "all"}
        options = ClientOptions("small", "http", url, headers=headers, seconds=0.5, allows_private=True)
        async with clients_of(options) as clients:
            await clients.list_tools("small")
            small.refused = {"all": 401}
            for _call in range(2):
                message = await refusal(RemoteFailed, clients.call_tool("small", "meta", {}))()
                assert message == f"the MCP server small {REFUSED}"
            small.refused = {}
            assert (await clients.call_tool("small", "add", {"a": 5})).content == {"sum": 5}

    try:
        asyncio.run(run())
    finally:
        small.refused = {}


def test_a_server_that_is_away_is_left_alone_and_asked_again_later(small: Small) -> None:
    now = 1000.0
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    options = ClientOptions("small", "streamable-http", f"http://127.0.0.1:{port}/mcp", allows_private=True)

    async def run() -> None:
        nonlocal now
        async with clients_of(options, clock=lambda: now) as clients:
            for _failure in range(MOST_FAILURES):
                message = await refusal(RemoteFailed, clients.list_tools("small"))()
                assert message == "the MCP server small cannot be connected to"
            with pytest.raises(RemoteUnavailable) as away:
                await clients.list_tools("small")
            assert away.value.headers == {"Retry-After": "1"}
            with run_http(small, port=port):
                now += 1.5
                assert await clients.list_tools("small")
                assert (await clients.call_tool("small", "add", {"a": 5})).content == {"sum": 5}

    asyncio.run(run())


@pytest.mark.parametrize("status", [401, 403])
@pytest.mark.parametrize("transport", ["streamable-http", "http", "websocket"])
def test_a_refusal_opens_no_circuit_and_what_fails_after_it_does(transport: str, status: int) -> None:
    refusing = Refusing(status)
    scheme = "ws" if transport == "websocket" else "http"

    async def run() -> None:
        async with run_refusing(refusing) as port:
            url = f"{scheme}://127.0.0.1:{port}/mcp"
            options = ClientOptions("small", transport, url, allows_private=True)  # type: ignore[arg-type]
            async with clients_of(options) as clients:
                for _refusal in range(2 * MOST_FAILURES):
                    message = await refusal(RemoteFailed, clients.list_tools("small"))()
                    assert message == f"the MCP server small {REFUSED}"
                refusing.status = None
                for _failure in range(MOST_FAILURES):
                    message = await refusal(RemoteFailed, clients.list_tools("small"))()
                    assert message == "the MCP server small did not answer as it should"
                await refusal(RemoteUnavailable, clients.list_tools("small"))()

    asyncio.run(run())


@pytest.mark.parametrize("transport", ["streamable-http", "http", "websocket"])
def test_private_addresses_are_not_connected_to(transport: str, small: Small, port: int) -> None:
    scheme = "ws" if transport == "websocket" else "http"
    options = ClientOptions("small", transport, f"{scheme}://127.0.0.1:{port}/mcp")  # type: ignore[arg-type]

    async def run() -> None:
        async with clients_of(options) as clients:
            await refusal(RemoteFailed, clients.list_tools("small"))()
        async with clients_of(
            replace(
                options, allows_private=True, transport="streamable-http", url=f"http://127.0.0.1:{port}/mcp"
            )
        ) as clients:
            assert await clients.list_tools("small")

    asyncio.run(run())
