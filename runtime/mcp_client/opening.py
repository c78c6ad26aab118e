"""The servers of a service: their clients, and the SDK with them, are imported where settings name any."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from runtime.call import Call
from runtime.errors import NotFound
from runtime.settings import Settings
from runtime.sources import RemoteTools


class NoServers:
    """The remote tools of a service whose settings name no server."""

    async def call_tool(
        self, name: str, tool: str, arguments: Mapping[str, Any], call: Call | None = None
    ) -> Any:
        """Raise ``NotFound``."""
        raise NotFound(f"no MCP server {name[:100]} is set up")


@asynccontextmanager
async def open_remote_tools(settings: Settings) -> AsyncIterator[RemoteTools]:
    """Offer the servers that the settings name during the block. Raises ``Misconfigured``."""
    if not settings.mcp_client:
        yield NoServers()
        return
    open_clients = await asyncio.to_thread(_import_clients)
    async with open_clients(settings) as clients:
        yield clients


def _import_clients() -> Callable[[Settings], AbstractAsyncContextManager[RemoteTools]]:
    from runtime.mcp_client.clients import open_clients_of_servers

    return open_clients_of_servers
