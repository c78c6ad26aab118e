"""What is written of one answer: its head together with the first piece of its body.

uvicorn writes them one after the other, and each would be a call of the kernel and a packet.
"""

import asyncio
from collections.abc import Callable


class AnswerTransport:
    """The transport as the answer to one request sees it; ``close`` closes the connection behind the answer.

    A head waits for the first piece behind it, at the latest until the event loop turns.
    """

    __slots__ = ("_close", "_head", "_loop", "_transport", "is_closing")

    def __init__(
        self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop, close: Callable[[], None]
    ) -> None:
        self._transport = transport
        self._loop = loop
        self._close = close
        self._head: bytes | None = b""
        self.is_closing = transport.is_closing

    def write(self, data: bytes) -> None:
        """Hold back the first piece; write the second with it, and each of the others alone."""
        if self._head is None:
            self._transport.write(data)
        elif self._head:
            head, self._head = self._head, None
            self._transport.writelines((head, data))
        else:
            self._head = data
            self._loop.call_soon(self.flush)

    def flush(self) -> None:
        """Write what was held back."""
        head, self._head = self._head, None
        if head and not self.is_closing():
            self._transport.write(head)

    def close(self) -> None:
        """Close the connection once all of the answer is written."""
        self.flush()
        self._close()
