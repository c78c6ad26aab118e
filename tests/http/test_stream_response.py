"""A streamed body: in small pieces, its end only when it is complete, and what is let go of when."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from typing import Any

import pytest

from runtime.http.streaming import StreamResponse
from runtime.stream import Stream
from tests.log_lines import capture_logs

pytestmark = pytest.mark.anyio
SCOPE = {"type": "http", "path": "/export", "request_id": "1"}
MOST = 2**16


class Connection:
    """What was sent; ``is_gone`` when the receiver has hung up."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.is_complete = False
        self.is_gone, self.has_begun = asyncio.Event(), asyncio.Event()

    async def receive(self) -> Any:
        await self.is_gone.wait()
        return {"type": "http.disconnect"}

    async def send(self, message: Any) -> None:
        if message["type"] == "http.response.body":
            self.bodies.append(message["body"])
            self.has_begun.set()
            self.is_complete = not message.get("more_body", False)
        await asyncio.sleep(0)


class Source:
    """Makes chunks of these sizes, and fails at None."""

    def __init__(self, *sizes: int | None) -> None:
        self.sizes = sizes
        self.is_closed = False
        self.ended = 0

    async def chunks(self) -> AsyncGenerator[bytes]:
        try:
            for size in self.sizes:
                if size is None:
                    raise RuntimeError("broken")
                yield b"x" * size
        finally:
            self.is_closed = True

    def end(self) -> None:
        self.ended += 1

    def response(self, first: bytes = b"") -> StreamResponse:
        return StreamResponse(Stream(first, self.chunks(), "text/csv"), self.end)


@pytest.mark.parametrize("sizes", [(), (0,), (1,), (MOST,), (MOST + 1, 0, 3), (3 * MOST, 2**20)], ids=str)
async def test_all_of_it_in_pieces(sizes: tuple[int, ...]) -> None:
    source, connection = Source(*sizes), Connection()
    await source.response(b"y" * (MOST + 7))(SCOPE, connection.receive, connection.send)
    assert b"".join(connection.bodies) == b"y" * (MOST + 7) + b"x" * sum(sizes)
    assert max(map(len, connection.bodies)) <= MOST
    assert (connection.is_complete, source.is_closed, source.ended) == (True, True, 1)


async def test_what_breaks_has_no_end() -> None:
    source, connection = Source(5, None), Connection()
    with capture_logs() as lines, pytest.raises(RuntimeError, match="broken"):
        await source.response()(SCOPE, connection.receive, connection.send)
    (line,) = lines
    assert (line["event"], line["path"], line["request_id"]) == ("stream broken", "/export", "1")
    assert (b"".join(connection.bodies), connection.is_complete) == (b"x" * 5, False)
    assert (source.is_closed, source.ended) == (True, 1)


async def test_who_hangs_up_ends_the_work() -> None:
    source, connection = Source(*[10] * 1000), Connection()
    task = asyncio.create_task(source.response()(SCOPE, connection.receive, connection.send))
    await connection.has_begun.wait()
    connection.is_gone.set()
    await task
    assert len(connection.bodies) < 1000
    assert (connection.is_complete, source.is_closed, source.ended) == (False, True, 1)


async def test_who_is_cancelled_ends_the_work() -> None:
    source, connection = Source(*[10] * 1000), Connection()
    task = asyncio.create_task(source.response()(SCOPE, connection.receive, connection.send))
    await connection.has_begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (connection.is_complete, source.is_closed, source.ended) == (False, True, 1)
