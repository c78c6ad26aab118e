"""What is written of one answer: its head together with the first piece of its body.

uvicorn writes them one after the other, and each would be a call of the kernel and a packet.
"""

import asyncio
from collections.abc import Callable
from typing import Final

_LENGTH: Final = b"\r\ncontent-length: "


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
