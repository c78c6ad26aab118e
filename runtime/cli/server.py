"""One server process: uvicorn's, except that it stops without losing a request, and paces a burst of callers.

uvicorn resets the connections in its accept queue when it stops, and closes idle ones on which a request may
just be under way. This server answers what has connected until the listener is closed, and asks clients to
reconnect before it closes their connections.
"""

import asyncio
import socket
from collections.abc import Callable
from typing import Any, Final

import uvicorn
from uvicorn.config import Config
from uvicorn.lifespan.on import LifespanOn

from runtime.cli.accepting import Acceptor, TurnPace
from runtime.cli.answer import name_statuses
from runtime.cli.newcomers import turn_away
from runtime.cli.starting import Lifespan
from runtime.draining import ON_DRAIN
from runtime.stream import ON_STOP

_TICK_SECONDS: Final = 0.1

# Handshakes under way come to their end in this time.
_HANDSHAKE_LOOKS: Final = 20

# An idle connection may still bring a request for half a second after the server began to stop.
_LOOK_SECONDS: Final = 0.01
_IDLE_LOOKS: Final = 50


class Server(uvicorn.Server):
    """A server on shared listeners. ``on_started`` is called once it accepts connections.

    ``is_replaced`` returns whether another process serves in its place already, ``is_last``
    that no other process goes on with the listeners.
    """

    def __init__(
        self,
        config: Config,
        on_started: Callable[[], None] = lambda: None,
        is_replaced: Callable[[], bool] = lambda: False,
        is_last: Callable[[], bool] = lambda: True,
    ) -> None:
        super().__init__(config)
        self._is_last = is_last
        self._is_replaced = is_replaced
        self._on_started = on_started
        self._acceptors: list[Acceptor] = []
        self._pace = TurnPace()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start as uvicorn does, with acceptors of our own, then report it."""
        name_statuses()
        if isinstance(self.lifespan, LifespanOn):
            self.lifespan = Lifespan(self.config)
        await super().startup([])
        self._acceptors = [Acceptor(listener, self._protocol) for listener in sockets or []]
        for acceptor in self._acceptors:
            acceptor.start()
        self._on_started()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer what has connected, then stop as uvicorn does: requests in progress are finished."""
        await self._await_balancers()
        # From here on each answer asks its client to open another connection, which finds another worker.
        self.server_state.default_headers = [*self.server_state.default_headers, (b"connection", b"close")]
        self._pace.lift()
        if (end_streams := self.lifespan.state.get(ON_STOP)) is not None:
            end_streams()
        await self._close_listeners(sockets or [])
        await self._await_idle()
        await super().shutdown([])

    async def _close_listeners(self, listeners: list[socket.socket]) -> None:
        """Accept what has connected, and what is connecting; then leave further callers to others."""
        for acceptor in self._acceptors:
            acceptor.stop()
        for _ in range(_HANDSHAKE_LOOKS):
            if self._is_last():
                for listener in listeners:
                    turn_away(listener)
            for acceptor in self._acceptors:
                await acceptor.accept_waiting(self.config.backlog)
            await asyncio.sleep(_LOOK_SECONDS)
        for acceptor in self._acceptors:
            await acceptor.close(self.config.backlog)

    async def _await_balancers(self) -> None:
        """Serve on while balancers find out that this server shall end, until a second signal."""
        begin = self.lifespan.state.get(ON_DRAIN)
        if begin is None or self._is_replaced():
            return
        for tick in range(round(begin() / _TICK_SECONDS)):
            if self.force_exit:
                return
            await self.on_tick(tick)
            await asyncio.sleep(_TICK_SECONDS)

    def _protocol(self) -> asyncio.Protocol:
        kind: Any = self.config.http_protocol_class
        made: asyncio.Protocol = kind(
            config=self.config, server_state=self.server_state, app_state=self.lifespan.state, pace=self._pace
        )
        return made

    async def _await_idle(self) -> None:
        for _ in range(_IDLE_LOOKS):
            if not any(map(_is_idle, self.server_state.connections)):
                return
            await asyncio.sleep(_LOOK_SECONDS)


def _is_idle(connection: Any) -> bool:
    return connection.cycle is None or bool(connection.cycle.response_complete)
