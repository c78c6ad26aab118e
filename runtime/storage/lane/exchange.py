"""Messages to MongoDB and their answers, over a connection of the driver.

The driver starts two tasks for each answer, one of which looks twice a second whether its monitor has given
the server up. Here one timer looks at all that wait, for that and for their deadlines. Whatever goes wrong
between message and answer closes the connection, so none returns to the pool with an answer that nobody has
read.
"""

import asyncio
from collections.abc import Sequence
from time import monotonic
from typing import Any, Final

from pymongo.asynchronous.pool import AsyncConnection
from pymongo.errors import ProtocolError, _OperationCancelled
from pymongo.message import _UNPACK_REPLY
from pymongo.network_layer import PyMongoProtocol

_TICK: Final = 0.025  # seconds


class _Wait:
    """A connection whose answer is awaited. ``is_late``: its deadline had passed at the last look."""

    __slots__ = ("conn", "deadline", "is_late", "protocol")

    def __init__(self, conn: AsyncConnection, protocol: PyMongoProtocol, deadline: float) -> None:
        self.conn, self.protocol, self.deadline = conn, protocol, deadline
        self.is_late = False


class Exchange:
    """Sends messages and awaits their answers, on one event loop."""

    def __init__(self) -> None:
        self._waiting: set[_Wait] = set()
        self._is_watching = False

    async def send(
        self, conn: AsyncConnection, request_ids: Sequence[int], messages: bytes, deadline: float
    ) -> list[Any]:
        """Return the bytes of the documents that answer the messages, which are answered in their order.

        Raises ``ConnectionFailure`` or ``ProtocolError``, with which the connection is closed, as it is when
        the task is cancelled.
        """
        protocol = conn.conn.get_conn
        wait = _Wait(conn, protocol, deadline)
        self._waiting.add(wait)
        if not self._is_watching:
            self._is_watching = True
            asyncio.get_running_loop().call_later(_TICK, self._watch)
        try:
            await protocol.write(messages)
            return [_unpack(*await protocol.read(number, conn.max_message_size)) for number in request_ids]
        except BaseException as error:
            await conn._raise_connection_failure(error)
        finally:
            self._waiting.discard(wait)

    def _watch(self) -> None:
        """Close each connection that the driver has given up, and whose answer is late at two looks.

        A busy event loop runs its timers before it reads: the answer may have come.
        """
        now = monotonic()
        for wait in list(self._waiting):
            if wait.conn.cancel_context.cancelled:
                wait.protocol.close(_OperationCancelled("operation cancelled"))
            elif wait.is_late:
                wait.protocol.close(TimeoutError("timed out"))
            else:
                wait.is_late = now > wait.deadline
        self._is_watching = bool(self._waiting)
        if self._is_watching:
            asyncio.get_running_loop().call_later(_TICK, self._watch)


def _unpack(data: Any, code: int) -> Any:
    if code not in _UNPACK_REPLY:
        raise ProtocolError(f"Got opcode {code!r} but expected {_UNPACK_REPLY.keys()!r}")
    reply = _UNPACK_REPLY[code](data)
    if reply.more_to_come:  # nobody would read it
        raise ProtocolError("Got an answer that another is to follow")
    return reply.payload_document
