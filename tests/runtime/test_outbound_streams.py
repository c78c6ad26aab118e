"""Connections to other hosts: used again while they are good, never after they ended or said what nobody asked."""

from __future__ import annotations

import asyncio
import ssl
import sys
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import httpcore2
import pytest

from runtime.outbound import open_pool
from runtime.outbound.streams import LoopBackend
from tests.lane.secured import certificate

GOOD = b"HTTP/1.1 204 No Content\r\n\r\n"
LOOP = None if sys.platform == "win32" else import_module("uvloop").new_event_loop
"""The event loop of a worker."""

End = Callable[[asyncio.StreamWriter], None]


@dataclass
class Host:
    """Answers each request with ``answer``. ``writers``: its connections, in order."""

    url: str = ""
    answer: bytes = GOOD
    bodies: list[bytes] = field(default_factory=list)
    writers: list[asyncio.StreamWriter] = field(default_factory=list)

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.writers.append(writer)
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = (await reader.readuntil(b"\r\n\r\n")).lower()
                length = int(head.split(b"content-length:")[1].split(b"\r\n")[0])
                self.bodies.append(await reader.readexactly(length))
                writer.write(self.answer)
        writer.close()


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return certificate(tmp_path_factory.mktemp("host"))


@asynccontextmanager
async def connect(
    host: Host, key: Path | None = None, trust: ssl.SSLContext | None = None
) -> AsyncIterator[httpcore2.AsyncConnectionPool]:
    """Serve a host, over TLS with a ``key``; yield a pool that reaches it by an address."""
    secured = None
    if key is not None:
        (secured := ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)).load_cert_chain(key)
        trust = trust or ssl.create_default_context(cafile=str(key))
    server = await asyncio.start_server(host.talk, "127.0.0.1", 0, ssl=secured)
    port = server.sockets[0].getsockname()[1]
    host.url = f"http{'s' if key else ''}://127.0.0.1:{port}/"

    async def choose(_name: str, _port: int) -> str:
        return "127.0.0.1"

    try:
        async with open_pool(choose, trust, connections=4) as pool, asyncio.timeout(20):
            yield pool
    finally:
        server.close()
        for writer in host.writers:
            writer.transport.abort()
        await asyncio.sleep(0)  # in which the loop closes them


async def post(
    pool: httpcore2.AsyncConnectionPool, host: Host, body: bytes = b"{}", **limits: float
) -> tuple[int, bytes]:
    answer = await pool.request("POST", host.url, content=body, extensions={"timeout": limits})
    return answer.status, answer.content


async def await_expiry(pool: httpcore2.AsyncConnectionPool) -> None:
    """Return when the only connection is known to be of no more use."""
    (connection,) = pool.connections
    for _turn in range(1_000_000):
        if connection.has_expired():
            return
        await asyncio.sleep(0)


def run(work: Coroutine[Any, Any, None]) -> None:
    with asyncio.Runner(loop_factory=LOOP) as runner:
        runner.run(work)


@pytest.mark.parametrize("is_secured", [False, True])
def test_requests_of_any_size_use_one_connection(key: Path, is_secured: bool) -> None:
    host, bodies = Host(), [b"{}", b"x" * 1_000_000, b"", b"y" * 70_000]

    async def scene() -> None:
        async with connect(host, key if is_secured else None) as pool:
            for body in bodies:
                assert await post(pool, host, body, read=10, write=10, connect=10) == (204, b"")

    run(scene())
    assert (host.bodies, len(host.writers)) == (bodies, 1)


def test_an_answer_in_pieces_is_read_whole() -> None:
    whole = b"z" * 500_000
    host = Host(answer=b"HTTP/1.1 200 OK\r\nContent-Length: 500000\r\n\r\n" + whole)

    async def scene() -> None:
        async with connect(host) as pool:
            assert await post(pool, host) == (200, whole)

    run(scene())


def hang_up(writer: asyncio.StreamWriter) -> None:
    writer.close()


def say_unasked(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n")


@pytest.mark.parametrize("is_secured", [False, True])
@pytest.mark.parametrize("end", [hang_up, say_unasked])
def test_an_idle_connection_over_which_something_came_is_not_used_again(
    key: Path, end: End, is_secured: bool
) -> None:
    host = Host()

    async def scene() -> None:
        async with connect(host, key if is_secured else None) as pool:
            assert await post(pool, host) == (204, b"")
            end(host.writers[0])
            await await_expiry(pool)
            assert await post(pool, host) == (204, b"")
            assert len(pool.connections) == 1

    run(scene())
    assert len(host.writers) == 2


@pytest.mark.parametrize(
    "more", [b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n", b"a body"], ids=["an answer", "a body"]
)
def test_what_came_behind_an_answer_does_not_answer_the_next_request(more: bytes) -> None:
    host = Host(answer=GOOD + more)

    async def scene() -> None:
        async with connect(host) as pool:
            for _ in range(3):
                assert await post(pool, host) == (204, b"")
            assert len(pool.connections) <= 1

    run(scene())
    assert len(host.writers) == 3


def test_what_takes_too_long_or_is_not_there_has_an_error_of_its_own() -> None:
    host = Host(answer=b"")

    async def scene() -> None:
        async with connect(host) as pool:
            with pytest.raises(httpcore2.ReadTimeout):
                await post(pool, host, read=0.01)
            assert pool.connections == []
        with pytest.raises(httpcore2.ConnectError):
            await post(pool, host)  # nobody listens any more

    run(scene())


def test_a_host_that_nobody_vouches_for_is_told_nothing(key: Path) -> None:
    host = Host()

    async def scene() -> None:
        async with connect(host, key, trust=ssl.create_default_context()) as pool:
            with pytest.raises(httpcore2.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
                await post(pool, host)

    run(scene())
    assert host.bodies == []


def test_a_certificate_of_another_name_does_not_count(key: Path) -> None:
    host = Host()

    async def scene() -> None:
        async with connect(host, key) as pool:
            host.url = host.url.replace("127.0.0.1", "app.example")
            with pytest.raises(httpcore2.ConnectError, match="match"):
                await post(pool, host)

    run(scene())
    assert host.bodies == []


def test_what_is_written_to_a_connection_that_was_closed_is_an_error_of_the_connection() -> None:
    host = Host()

    async def scene() -> None:
        async with connect(host):
            stream = await LoopBackend().connect_tcp("127.0.0.1", int(host.url.rpartition(":")[2][:-1]))
            await stream.aclose()
            await stream.write(b"POST / HTTP/1.1\r\n")
            with suppress(httpcore2.ReadError):
                assert await stream.read(100) == b""

    run(scene())
    assert host.bodies == []


def test_the_bound_of_an_answer_is_lifted_until_the_next_write() -> None:
    host = Host(answer=b"x" * 1000)
    asked = b"POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n"

    async def scene() -> None:
        async with connect(host):
            port = int(host.url.rpartition(":")[2][:-1])
            stream = await LoopBackend(most=100).connect_tcp("127.0.0.1", port)
            await stream.write(asked)
            stream.read_unbounded()
            assert await read(stream, 1000) == host.answer
            await stream.write(asked)
            assert await read(stream, 100) == b"x" * 100
            with pytest.raises(httpcore2.ReadError, match="too long"):
                await stream.read(1)
            await stream.aclose()

    run(scene())


async def read(stream: httpcore2.AsyncNetworkStream, size: int) -> bytes:
    data = b""
    while len(data) < size:
        data += await stream.read(size - len(data), timeout=10)
    return data
