"""What is read of one answer of a server over HTTP, byte by byte: heads and all that frames a body count too."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from itertools import chain, repeat

import httpx2
import pytest

from runtime.mcp_client.bounded import MOST_BYTES, MOST_WITH_FRAMES, BoundedTransport

PART = b"x" * 60_000
INTERIM = b"HTTP/1.1 102 Processing\r\nX-More: " + PART + b"\r\n\r\n"
FRAME = b"1;x=" + PART + b"\r\na\r\n"
HEAD = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: "
PLAIN, EVENTS = (HEAD + kind + b"\r\n\r\n" for kind in (b"application/json", b"text/event-stream"))
ON_THE_WAY = 2**24
"""Bytes that the systems on both sides may buffer."""


class Talker:
    """A server that sends each connection's requests what it is given, and counts the bytes that were taken."""

    def __init__(self, *answers: Iterator[bytes]) -> None:
        self._answers = list(answers)
        self.connections = self.sent = 0

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while self._answers and await reader.readuntil(b"\r\n\r\n"):
                for part in self._answers.pop(0):
                    writer.write(part)
                    await writer.drain()
                    self.sent += len(part)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()


async def choose(_host: str, _port: int) -> str:
    return "127.0.0.1"


async def ask(talker: Talker, times: int) -> list[int]:
    """The sizes of the bodies of some answers."""
    server = await asyncio.start_server(talker, "127.0.0.1", 0)
    address = f"http://a.example:{server.sockets[0].getsockname()[1]}/"
    try:
        async with httpx2.AsyncClient(
            transport=BoundedTransport(choose), trust_env=False, timeout=30
        ) as client:
            return [len((await client.get(address)).content) for _each in range(times)]
    finally:
        server.close()


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(repeat(INTERIM), id="heads before the head"),
        pytest.param(chain([PLAIN], repeat(FRAME)), id="frames around single bytes"),
        pytest.param(chain([PLAIN], repeat(b"100000\r\n" + b"x" * 2**20 + b"\r\n")), id="a body"),
    ],
)
def test_an_answer_without_end_is_given_up(answer: Iterator[bytes]) -> None:
    talker = Talker(answer)
    with pytest.raises(httpx2.ReadError):
        asyncio.run(ask(talker, 1))
    assert talker.sent <= MOST_WITH_FRAMES + ON_THE_WAY


def test_a_stream_of_events_lasts_and_the_answer_behind_it_is_bounded_again() -> None:
    many = MOST_WITH_FRAMES // MOST_BYTES * 9
    event = b"100000\r\n" + b"x" * 2**20 + b"\r\n"
    talker = Talker(chain([EVENTS], repeat(event, many), [b"0\r\n\r\n"]), repeat(INTERIM))
    assert asyncio.run(ask(Talker(chain([EVENTS], repeat(event, many), [b"0\r\n\r\n"])), 1)) == [many * 2**20]
    with pytest.raises(httpx2.ReadError):
        asyncio.run(ask(talker, 2))
    assert talker.connections == 1
