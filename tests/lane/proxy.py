"""A proxy before MongoDB that meddles with answers: each is passed on late, half, twice or as that of another.
It loses requests too, or passes them on after their connection broke.

It stands in the place of the one member of the replica set: where the server names its own address, it names
that of the proxy, whose port has as many digits.
"""

from __future__ import annotations

import asyncio
import random
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from urllib.parse import urlsplit

from bson import encode

Meddle = Callable[[bytes, asyncio.StreamWriter], Awaitable[None]]

MARK = b"meddled"


async def pass_on(answer: bytes, out: asyncio.StreamWriter) -> None:
    """As it is."""
    out.write(answer)


def late(seconds: float) -> Meddle:
    """After a while."""

    async def meddle(answer: bytes, out: asyncio.StreamWriter) -> None:
        await asyncio.sleep(seconds)
        out.write(answer)

    return meddle


def half(*, then_closed: bool) -> Meddle:
    """The first half, and then nothing."""

    async def meddle(answer: bytes, out: asyncio.StreamWriter) -> None:
        out.write(answer[: len(answer) // 2])
        if then_closed:
            await out.drain()
            out.close()

    return meddle


def renumbered(by: int) -> Meddle:
    """As the answer to another request."""

    async def meddle(answer: bytes, out: asyncio.StreamWriter) -> None:
        (number,) = struct.unpack_from("<i", answer, 8)
        out.write(answer[:8] + struct.pack("<i", (number + by) % 2**31) + answer[12:])

    return meddle


def refused(code: int) -> Meddle:
    """As an error of MongoDB, although it has done what was requested."""
    body = encode({"ok": 0.0, "code": code, "errmsg": "refused by the proxy"})

    async def meddle(answer: bytes, out: asyncio.StreamWriter) -> None:
        out.write(struct.pack("<i", 21 + len(body)) + answer[4:16] + bytes(5) + body)

    return meddle


async def twice(answer: bytes, out: asyncio.StreamWriter) -> None:
    """The second is of nobody."""
    out.write(answer + answer)


def flagged(flags: int) -> Meddle:
    """With other flags of the message."""

    async def meddle(answer: bytes, out: asyncio.StreamWriter) -> None:
        out.write(answer[:16] + struct.pack("<I", flags) + answer[20:])

    return meddle


class Proxy:
    """``meddle`` is done with the answers to requests that have ``mark``, ``times`` times.

    ``lost``: the connection breaks at the request with this mark. It reaches MongoDB with the rest of its
    transaction after as many ``others`` of transactions, never after -1. ``alone``: nothing follows it.
    ``until_closed``: it does not break, and nothing is answered until the client closes it. ``took`` is set
    once the request is lost.
    """

    def __init__(self, uri: str) -> None:
        self.target = urlsplit(uri).netloc
        self.address = self.uri = ""
        self.meddle: Meddle = pass_on
        self.mark = MARK
        self.times = 0
        self.connections = 0
        self.lost, self.others, self.until_closed, self.alone = b"", -1, False, False
        self.took = asyncio.Event()
        self._held = list[bytes]()
        self._tasks: set[asyncio.Task[None]] = set()

    def do(self, meddle: Meddle, times: int = 1, mark: bytes = MARK) -> None:
        """With the next answers to what is marked."""
        self.meddle, self.times, self.mark = meddle, times, mark

    async def serve(self, inward: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        """One connection, until either side closes it, or all end."""
        task = asyncio.current_task()
        assert task is not None
        self.connections += 1
        self._tasks.add(task)
        try:
            await self._pass_all(inward, back)
        except asyncio.CancelledError:
            return  # by ``end``: asyncio would report a cancelled connection as a fault of the server
        finally:
            self._tasks.discard(task)

    async def _pass_all(self, inward: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        host, _colon, port = self.target.partition(":")
        answers, out = await asyncio.open_connection(host, int(port))
        marked: set[int] = set()
        ways = [
            asyncio.create_task(self._requests(inward, out, marked)),
            asyncio.create_task(self._answers(answers, back, marked)),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            for writer in (out, back):
                writer.transport.abort()
                with suppress(OSError):
                    await writer.wait_closed()

    async def end(self) -> None:
        """All connections."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _requests(
        self, inward: asyncio.StreamReader, out: asyncio.StreamWriter, marked: set[int]
    ) -> None:
        while True:
            message = await _message(inward)
            if self.lost and self.lost in message:
                self.lost = b""
                await self._lose(message, inward)
            if self._held and b"txnNumber" in message:
                await self._deliver()
            if self.mark in message:
                marked.add(struct.unpack_from("<i", message, 4)[0])
            out.write(message)

    async def _lose(self, message: bytes, inward: asyncio.StreamReader) -> None:
        self._held = [message]
        self.took.set()
        while self.until_closed or not (self.alone or b"commitTransaction" in message):
            self._held.append(message := await _message(inward))
        raise ConnectionResetError

    async def deliver_rest(self) -> None:
        """What was lost, if it has not reached MongoDB."""
        if self._held:
            self.others = 0
            await self._deliver()

    async def _deliver(self) -> None:
        """What was lost, if enough others have passed."""
        if self.others:
            self.others -= 1
            return
        host, _colon, port = self.target.partition(":")
        answers, out = await asyncio.open_connection(host, int(port))
        held, self._held = self._held, []
        for message in held:
            out.write(message)
            await _message(answers)
        out.close()
        await out.wait_closed()

    async def _answers(
        self, answers: asyncio.StreamReader, back: asyncio.StreamWriter, marked: set[int]
    ) -> None:
        while True:
            message = await _message(answers)
            message = message.replace(self.target.encode(), self.address.encode())
            if self.times and struct.unpack_from("<i", message, 8)[0] in marked:
                self.times -= 1
                await self.meddle(message, back)
            else:
                back.write(message)


async def _message(stream: asyncio.StreamReader) -> bytes:
    try:
        head = await stream.readexactly(4)
    except asyncio.IncompleteReadError as error:
        raise ConnectionResetError from error
    return head + await stream.readexactly(struct.unpack("<i", head)[0] - 4)


@asynccontextmanager
async def proxied(uri: str) -> AsyncIterator[Proxy]:
    """A proxy for a replica set of one member, for as long as the block lasts."""
    proxy = Proxy(uri)
    digits = len(proxy.target.partition(":")[2])
    while True:
        port = random.randrange(10 ** (digits - 1), min(10**digits, 2**16))
        with suppress(OSError):
            server = await asyncio.start_server(proxy.serve, "127.0.0.1", port)
            break
    proxy.address = f"127.0.0.1:{port}"
    proxy.uri = uri.replace(proxy.target, proxy.address)
    try:
        yield proxy
    finally:
        server.close()
        await proxy.end()
