"""Messages to the MCP door: by the SDK's own client, and as they are on the wire."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult

from tests.http.world import Document, World

T = TypeVar("T")
URL = "http://127.0.0.1:8080/mcp"
MODES = ("auto", "legacy")
"""2026-07-28 without a handshake, and the newest era with one."""

MODERN = "2026-07-28"
HANDSHAKE = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")


def talk(
    world: World,
    work: Callable[[Client], Awaitable[T]],
    caller: str | None = "acme",
    mode: Any = "auto",
    **headers: str,
) -> T:
    """Connect the SDK's client as somebody, and have it do something."""

    async def run() -> T:
        transport = httpx2.ASGITransport(app=world.app)
        own = world.headers(caller) | {name.replace("_", "-"): value for name, value in headers.items()}
        async with (
            httpx2.AsyncClient(transport=transport, headers=own) as http,
            Client(streamable_http_client(URL, http_client=http), mode=mode) as client,
        ):
            try:
                return await work(client)
            except Exception as error:  # else the client wraps it in groups
                failed = error
        raise failed

    assert world.client.portal is not None
    return world.client.portal.call(run)


def use(
    world: World, tool: str, caller: str = "acme", mode: str = "auto", /, **arguments: Any
) -> CallToolResult:
    """Call a tool."""

    async def call(client: Client) -> CallToolResult:
        return await client.call_tool(tool, arguments)

    return talk(world, call, caller, mode)


def build_message(method: str, params: Document | None = None, version: str = MODERN) -> Document:
    """One request as it is on the wire of an era: ``json`` and ``headers``."""
    params = dict(params or {})
    headers = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": version}
    if version == MODERN:
        meta = "io.modelcontextprotocol"
        params["_meta"] = {f"{meta}/protocolVersion": version, f"{meta}/clientCapabilities": {}}
        headers["Mcp-Method"] = method
        if named := params.get("name") or params.get("uri"):
            headers["Mcp-Name"] = str(named)
    return {"json": {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}, "headers": headers}


def send(
    world: World,
    method: str,
    params: Document | None = None,
    caller: str | None = "acme",
    version: str = MODERN,
    **options: Any,
) -> httpx2.Response:
    """Post one request as it is on the wire of an era."""
    message = build_message(method, params, version)
    headers = message["headers"] | options.pop("headers", {})
    return world.ask("POST /mcp", caller, **(message | options | {"headers": headers}))


def call_on_wire(
    world: World,
    tool: str,
    arguments: Document,
    caller: str | None = "acme",
    version: str = MODERN,
    **options: Any,
) -> httpx2.Response:
    """Post one call of a tool."""
    return send(world, "tools/call", {"name": tool, "arguments": arguments}, caller, version, **options)
