"""One server process: uvicorn's, except that it stops without losing a request.

uvicorn resets the connections in its accept queue when it stops, and closes idle ones on which a request may
just be under way. This server answers what has connected, and asks clients to reconnect before it closes
their connections.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import Callable
from typing import Any, Final

import uvicorn
from uvicorn.config import Config

# An idle connection may still bring a request for half a second after the server began to stop.
_LOOK_SECONDS: Final = 0.01
_IDLE_LOOKS: Final = 50


class Server(uvicorn.Server):
    """A server on shared listeners. ``on_started`` is called once it accepts connections."""

    def __init__(self, config: Config, on_started: Callable[[], None] = lambda: None) -> None:
        super().__init__(config)
        self._on_started = on_started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start as uvicorn does, then report it."""
        await super().startup(sockets)
        self._on_started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer what has connected, then stop as uvicorn does: requests in progress are finished."""
        # From here on each answer asks its client to open another connection, which finds another worker.
        self.server_state.default_headers = [*self.server_state.default_headers, (b"connection", b"close")]
        waiting = [listener.dup() for listener in sockets or []]
        for server in self.servers:
            server.close()
        for listener in waiting:
            await self._accept_waiting(listener)
        await self._await_idle()
        await super().shutdown(sockets)

    async def _accept_waiting(self, listener: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        with listener, contextlib.suppress(OSError):  # BlockingIOError: the queue is empty
            for _ in range(self.config.backlog):  # others may go on connecting: they have other workers
                connection, _address = listener.accept()
                await loop.connect_accepted_socket(self._protocol, connection)

    def _protocol(self) -> asyncio.Protocol:
        kind: Any = self.config.http_protocol_class
        made: asyncio.Protocol = kind(
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state
        )
        return made

    async def _await_idle(self) -> None:
        for _ in range(_IDLE_LOOKS):
            if not any(map(_is_idle, self.server_state.connections)):
                return
            await asyncio.sleep(_LOOK_SECONDS)


def _is_idle(connection: Any) -> bool:
    return connection.cycle is None or bool(connection.cycle.response_complete)
