"""Clients that send too much, too slowly, or only half of it, and how each of them ended."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field

Address = tuple[str, int]

HOST = b"Host: faults.example\r\n"
POST = b"POST /security/login HTTP/1.1\r\nContent-Type: application/json\r\n" + HOST
_PIECE = 65536


@dataclass
class Ended:
    """How the clients of a scenario ended: ``answers`` by status, ``cut`` for none; the bytes they got rid of."""

    answers: Counter[str] = field(default_factory=Counter)
    sent: int = 0
    longest: float = 0.0


@dataclass(frozen=True)
class Scenario:
    """``send``: what one client does; ``clients``: how many do it at once; ``ends``: what may come of it."""

    name: str
    clients: int
    send: Callable[[], AsyncIterator[bytes]]
    ends: frozenset[str]


async def play(scenario: Scenario, address: Address, patience: float) -> Ended:
    """Let all clients loose at once, and wait until the last one has ended, or ``patience`` seconds."""
    ended = Ended()
    await asyncio.gather(*(_client(scenario, address, patience, ended) for _ in range(scenario.clients)))
    return ended


async def _client(scenario: Scenario, address: Address, patience: float, ended: Ended) -> None:
    began = time.monotonic()
    try:
        async with asyncio.timeout(patience):
            said = await _converse(scenario, address, ended)
    except TimeoutError:
        said = "not ended"
    except OSError:
        said = "cut"
    ended.answers[said] += 1
    ended.longest = max(ended.longest, time.monotonic() - began)


async def _converse(scenario: Scenario, address: Address, ended: Ended) -> str:
    reader, writer = await asyncio.open_connection(*address)
    answer = asyncio.ensure_future(reader.read())
    sending = asyncio.ensure_future(_send(scenario, writer, ended))
    try:
        received = await answer
        return received[9:12].decode() or "cut"
    finally:
        sending.cancel()
        answer.cancel()
        writer.transport.abort()


async def _send(scenario: Scenario, writer: asyncio.StreamWriter, ended: Ended) -> None:
    async for piece in scenario.send():
        writer.write(piece)
        await writer.drain()
        ended.sent += len(piece)


def once(data: bytes) -> Callable[[], AsyncIterator[bytes]]:
    """Send it, and wait."""

    async def send() -> AsyncIterator[bytes]:
        yield data

    return send


def endless(begun: bytes, piece: bytes, most: int) -> Callable[[], AsyncIterator[bytes]]:
    """Send the same over and over, as fast as it is taken."""

    async def send() -> AsyncIterator[bytes]:
        yield begun
        pieces = piece * (_PIECE // len(piece))
        for _ in range(most // len(pieces)):
            yield pieces

    return send


def dripping(begun: bytes, piece: bytes, pause: float) -> Callable[[], AsyncIterator[bytes]]:
    """Send a few bytes now and then, for ever."""

    async def send() -> AsyncIterator[bytes]:
        yield begun
        while True:
            await asyncio.sleep(pause)
            yield piece

    return send


HEAD = b"GET /live HTTP/1.1\r\n" + HOST
REFUSED_HEAD = frozenset({"431", "cut"})
LATE = frozenset({"408"})


def scenarios(clients: int) -> list[Scenario]:
    """All of them, ``clients`` at once where each costs little."""
    chunked = POST + b"Transfer-Encoding: chunked\r\n\r\n"
    length = POST + b"Content-Length: 5000\r\n\r\n"
    return [
        Scenario("a header of 100 MB", 8, endless(HEAD + b"X: ", b"x", 100_000_000), REFUSED_HEAD),
        Scenario("a URL of 100 MB", 8, endless(b"GET /", b"x", 100_000_000), REFUSED_HEAD),
        Scenario("two million headers", 8, endless(HEAD, b"a: b\r\n", 12_000_000), REFUSED_HEAD),
        Scenario("a trailer of 100 MB", 8, endless(chunked + b"0\r\nX: ", b"x", 100_000_000), REFUSED_HEAD),
        Scenario("an endless chunk extension", 8, endless(chunked + b"1;", b"x", 100_000_000), REFUSED_HEAD),
        Scenario("nothing", clients, once(b""), frozenset({"cut"})),
        Scenario("half a head", clients, once(HEAD), LATE),
        Scenario("a head that drips", clients, dripping(HEAD + b"X: ", b"x", 0.2), LATE),
        Scenario("half a body", clients, once(length + b'{"userId": '), LATE),
        Scenario("a body that drips", clients, dripping(length, b" ", 0.2), LATE),
        Scenario("chunks that drip", clients, dripping(chunked, b"1\r\n \r\n", 0.2), LATE),
    ]


def crowd(connections: int) -> Scenario:
    """Three times as many as may be: a third is served, a third is refused, a third is cut."""
    request = b"GET /security/me HTTP/1.1\r\nConnection: close\r\n" + HOST + b"\r\n"

    async def send() -> AsyncIterator[bytes]:
        await asyncio.sleep(0.5)  # until all of them are there
        yield request

    return Scenario("too many connections", 3 * connections, send, frozenset({"401", "503", "cut"}))
