"""What is written of one answer: its head together with the first piece of its body.

uvicorn writes them one after the other, and each would be a call of the kernel and a packet. It also checks
and renders each header of each answer, most of which are the same in all: here those are remembered.
"""

import asyncio
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import (
    HEADER_RE,
    HEADER_VALUE_RE,
    STATUS_LINE,
    RequestResponseCycle,
)

from runtime.errors.phrases import PHRASES

_OF_UVICORN: Final = frozenset({b"connection", b"transfer-encoding", b"set-cookie", b"location"})
"""Headers that decide on the connection, and those that may hold what must not be remembered."""

_MOST_REMEMBERED: Final = 1024
_LENGTH: Final = b"\r\ncontent-length: "

STOPPING: Final = "the service is stopping, and the request was not finished; send it again"


def name_statuses() -> None:
    """Let uvicorn name statuses as the document does: its phrases are those of the version of Python."""
    STATUS_LINE.update((one, f"HTTP/1.1 {one} {phrase}\r\n".encode()) for one, phrase in PHRASES.items())


class AnswerTransport:
    """The transport as the answer to one request sees it; ``close`` closes the connection behind the answer.

    A head that states the length of its body waits for the first piece of that. Others are written at once: a
    stream may have nothing to send for long.
    """

    __slots__ = ("_close", "_head", "_transport", "is_closing")

    def __init__(self, transport: asyncio.Transport, close: Callable[[], None]) -> None:
        self._transport = transport
        self._close = close
        self._head: bytes | None = b""
        self.is_closing = transport.is_closing

    def write(self, data: bytes) -> None:
        """Hold back such a head; write it with what comes next, and anything else alone."""
        if self._head:
            head, self._head = self._head, None
            if data:
                self._transport.writelines((head, data))
            else:  # of an empty piece asyncio may never be done
                self._transport.write(head)
        elif self._head is None or _LENGTH not in data:
            self._head = None
            self._transport.write(data)
        else:
            self._head = data

    def flush(self) -> None:
        """Write what was held back."""
        head, self._head = self._head, None
        if head and not self.is_closing():
            self._transport.write(head)

    def close(self) -> None:
        """Close the connection once all of the answer is written."""
        self.flush()
        self._close()


class Answer:
    """What the application sends: usual heads are rendered here, all else by uvicorn."""

    __slots__ = ("_cycle",)

    def __init__(self, cycle: RequestResponseCycle) -> None:
        self._cycle = cycle

    def begin(self, app: Any, cut_short: Callable[[], None]) -> Any:
        """Return the application that sends through this, and calls ``cut_short`` when it is cancelled.

        A server that stops cancels what takes too long; uvicorn would log that as a fault and send it bare. A
        cancellation of something that the application waits for stays a fault.
        """

        async def run(scope: Any, receive: Any, _send: Any) -> None:
            try:
                await app(scope, receive, self.send)
            except asyncio.CancelledError:
                if (task := asyncio.current_task()) is None or not task.cancelling():
                    raise
                cut_short()

        return run

    async def send(self, message: Any) -> None:
        cycle = self._cycle
        if cycle.response_started or (head := self._render_head(message)) is None:
            await cycle.send(message)
        else:
            cycle.response_started, cycle.waiting_for_100_continue = True, False
            cycle.transport.write(head)

    def _render_head(self, message: Any) -> bytes | None:
        """Render the head of an answer that states its length; None for what uvicorn has to look at."""
        cycle, headers = self._cycle, message.get("headers")
        if not cycle.keep_alive or cycle.disconnected or cycle.flow.write_paused:
            return None
        if message.get("status") not in STATUS_LINE or not isinstance(headers, list):
            return None  # what is not a list may be read only once
        parts, length = [STATUS_LINE[message["status"]]], None
        for name, value in (*cycle.default_headers, *headers):
            if (field := _render_field(name, value)) is None:
                return None
            if name == b"content-length":
                if length is not None or not value.isdigit():
                    return None
                length = int(value)
            parts.append(field)
        if length is None:
            return None
        cycle.expected_content_length, cycle.chunked_encoding = length, False
        parts.append(b"\r\n")
        return b"".join(parts)


@lru_cache(maxsize=_MOST_REMEMBERED)
def _render_field(name: bytes, value: bytes) -> bytes | None:
    if name in _OF_UVICORN or name != name.lower() or HEADER_RE.search(name) or HEADER_VALUE_RE.search(value):
        return None
    return b"".join((name, b": ", value, b"\r\n"))
