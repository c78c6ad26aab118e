"""The SDK's client and our server in one process, without HTTP between them."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from runtime.access.guard import open_call
from runtime.mcp.exchange import IN_SCOPE, Exchange
from runtime.mcp.server import build_server
from tests.http.world import World
from tests.mcp_server.talking import MODES


def talk_in_memory(world: World, work: Any, mode: Any, *, with_call: bool = True) -> Any:
    service = world.app.state.service
    server = build_server("Recordsmith", service.settings)

    async def put_call(ctx: Any, call_next: Any) -> Any:
        call = await open_call(service, world.tokens["acme"], None, "in-memory", "gateway")
        return await call_next(replace(ctx, request=SimpleNamespace(scope={IN_SCOPE: Exchange(call)})))

    if with_call:
        server.middleware.insert(0, put_call)

    async def run() -> Any:
        async with Client(server, mode=mode) as client:
            try:
                return await work(client)
            except MCPError as error:
                return error

    assert world.client.portal is not None
    return world.client.portal.call(run)


@pytest.mark.parametrize("mode", MODES)
def test_tools_and_resources_work_in_memory(world: World, mode: str) -> None:
    async def work(client: Client) -> Any:
        assert len((await client.list_tools()).tools) > 10
        assert (await client.read_resource("service://schema")).contents
        return await client.call_tool("query_count", {"rootType": "Carrier", "query": "name:nobody"})

    assert talk_in_memory(world, work, mode).structured_content == {"count": 0}


@pytest.mark.parametrize("mode", MODES)
def test_a_message_that_came_past_the_door_is_refused(world: World, mode: str) -> None:
    async def work(client: Client) -> Any:
        return await client.call_tool("query_count", {"rootType": "Carrier"})

    refused = talk_in_memory(world, work, mode, with_call=False)
    assert isinstance(refused, MCPError)
    assert refused.error.code == -32603
    assert "runtime" not in refused.error.message
