"""The server of the SDK, which opens with the first message."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from contextvars import Context

from starlette.types import ASGIApp, Receive, Scope, Send

from runtime.logs import log
from runtime.settings import Settings


class LateServer:
    """The server of one process.

    A task of its own opens and closes it: the SDK wants one task for both, and no request lasts that long.
    """

    def __init__(self, title: str, settings: Settings) -> None:
        self._title = title
        self._settings = settings
        self._ending = asyncio.Event()
        self._opened: asyncio.Future[ASGIApp] | None = None
        self._task: asyncio.Task[None] | None = None

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a message, once the server is open."""
        if self._opened is None:
            self._opened = asyncio.get_running_loop().create_future()
            self._task = asyncio.create_task(self._hold(self._opened), name="mcp server", context=Context())
        answer = await asyncio.shield(self._opened)
        await answer(scope, receive, send)

    async def close(self) -> None:
        self._ending.set()
        if self._task is not None:
            await self._task

    async def _hold(self, opened: asyncio.Future[ASGIApp]) -> None:
        """Keep the server open until it shall close. After a failure the next message opens another."""
        try:
            open_server = await asyncio.to_thread(_import_server)
            async with open_server(self._title, self._settings) as answer:
                opened.set_result(answer)
                await self._ending.wait()
        except Exception as error:
            self._opened = None
            if opened.done():
                log.error("mcp.server_ended", exc_info=error)
            else:
                opened.set_exception(error)


def _import_server() -> Callable[[str, Settings], AbstractAsyncContextManager[ASGIApp]]:
    from runtime.mcp.server import open_server

    return open_server
