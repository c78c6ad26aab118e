"""The servers of a service: their clients, and the SDK with them, are imported where settings name any."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from runtime.settings import Settings
from runtime.sources import RemoteTools


@asynccontextmanager
async def open_remote_tools(settings: Settings) -> AsyncIterator[RemoteTools | None]:
    """Offer the servers that the settings name during the block, if any. Raises ``Misconfigured``."""
    if not settings.mcp_client:
        yield None
        return
    open_clients = await asyncio.to_thread(_import_clients)
    async with open_clients(settings) as clients:
        yield clients


def _import_clients() -> Callable[[Settings], AbstractAsyncContextManager[RemoteTools]]:
    from runtime.mcp_client.clients import open_clients_of_servers

    return open_clients_of_servers
