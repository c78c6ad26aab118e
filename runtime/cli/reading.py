"""A caller that reads its answer too slowly is cut off: what it has not read waits in memory.

The transport reports when more waits than it should (``pause_writing``), and when that has been read. In
between a caller uses up its patience second by second, and regains some with each byte that it takes. So it
has to keep up with a least rate over half a minute, however unevenly it reads; while nothing waits, no time
counts. The connection is aborted, so the end of the answer is never sent.
"""

import asyncio
import socket
from contextlib import suppress
from typing import Any, Final, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from runtime.cli.lean_event import LeanFlow
from runtime.logs import log

WAITING_BYTES: Final = 32 * 2**10
"""How much may wait for a reader before the application that writes has to."""

_KERNEL_BYTES: Final = 128 * 2**10


def _bound_kernel(connection: socket.socket | None) -> None:
    """Let the kernel buffer little that is not sent yet.

    Otherwise it takes megabytes, and no more until a third of them is read: a slow reader would seem to
    stand still for minutes.
    """
    option = getattr(socket, "TCP_NOTSENT_LOWAT", None)
    if connection is not None and option is not None:
        with suppress(OSError):  # not a TCP connection
            connection.setsockopt(socket.IPPROTO_TCP, option, _KERNEL_BYTES)


class Patience:
    """The seconds that one reader has left, at most ``seconds``. ``rate``: bytes that buy one."""

    __slots__ = ("_most", "_rate", "left")

    def __init__(self, rate: float, seconds: float) -> None:
        self._rate = rate
        self._most = self.left = seconds

    def use(self, seconds: float, taken: int) -> float:
        """Return what is left after so many seconds in which so many bytes were taken."""
        self.left = min(self._most, self.left - seconds + taken / self._rate)
        return self.left


class ReadingProtocol(HttpToolsProtocol):
    """uvicorn's protocol with an end to waiting for a reader. ``patience`` is for a subclass to set.

    The attributes of subclasses are slots, since Python gives up sharing the names in ``__dict__`` at 30: a
    connection would cost 2 KB more.
    """

    __slots__ = ("_reading", "_since", "_unread", "patience")

    def __init__(self, **made_by_uvicorn: Any) -> None:
        super().__init__(**made_by_uvicorn)
        self.patience = Patience(4096, 30)
        self._reading: asyncio.TimerHandle | None = None
        self._since = 0.0
        self._unread = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(cast(asyncio.Transport, transport))
        self.flow = LeanFlow(self.transport)
        self.transport.set_write_buffer_limits(high=WAITING_BYTES)
        _bound_kernel(self.transport.get_extra_info("socket"))

    def pause_writing(self) -> None:
        """Start the clock: called by the transport when too much waits to be read."""
        super().pause_writing()
        self._watch_reader()

    def resume_writing(self) -> None:
        """Stop the clock: called by the transport when little waits."""
        if self._reading is not None:
            self._settle()
            self._stop_watching()
        super().resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock: called by the transport at the end."""
        self._stop_watching()
        super().connection_lost(exc)

    def timeout_keep_alive_handler(self) -> None:
        """Close an idle connection, which waits until its last answer is read: start the clock."""
        super().timeout_keep_alive_handler()
        if self._reading is None and self.transport.get_write_buffer_size():
            self._watch_reader()

    def _watch_reader(self) -> None:
        self._stop_watching()
        self._since, self._unread = self.loop.time(), self.transport.get_write_buffer_size()
        self._reading = self.loop.call_later(max(0.0, self.patience.left), self._check_reader)

    def _stop_watching(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
            self._reading = None

    def _settle(self) -> float:
        taken = max(0, self._unread - self.transport.get_write_buffer_size())
        return self.patience.use(self.loop.time() - self._since, taken)

    def _check_reader(self) -> None:
        if self._settle() > 0.0:
            self._watch_reader()
            return
        address, path = self.client[0] if self.client else "", self.scope["path"]
        log.warning("slow reader", path=path, address=address, unread=self.transport.get_write_buffer_size())
        self.transport.abort()
