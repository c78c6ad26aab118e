"""Readers that do not read: whose connection is cut, whose is not, and what they see. On real sockets."""

from __future__ import annotations

import asyncio
import logging
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from runtime.cli.bounds import Bounds
from runtime.cli.reading import WAITING_BYTES, Patience
from tests.bare_server import Address, bare_server
from tests.log_lines import capture_logs
from tests.patience import wait_until

BOUNDS = Bounds(
    head_bytes=65536, head_seconds=10, body_rate=1024, connections=100, read_rate=4096, read_seconds=0.3
)
SIZE = 64 * 2**20
"""More than the buffers of both ends take."""


@pytest.mark.parametrize(
    ("steps", "left"),
    [
        pytest.param([(10, 0)], 20, id="nothing is read"),
        pytest.param([(10, 5000), (10, 5000)], 20, id="half the rate"),
        pytest.param([(10, 10_000)] * 50, 30, id="the rate, for long"),
        pytest.param([(29, 0), (0, 29_000), (29, 0)], 1, id="in bursts"),
        pytest.param([(0, 10**9), (29, 0)], 1, id="much at first is no credit for later"),
        pytest.param([(15, 0)] * 2, 0, id="never"),
    ],
)
def test_patience(steps: list[tuple[float, int]], left: float) -> None:
    patience = Patience(1000, 30)
    for seconds, taken in steps:
        patience.use(seconds, taken)
    assert patience.left == left


class Talker:
    """Answers with many bytes: ``/whole`` at once, ``/stream`` in pieces; knows how it ended and what waited."""

    def __init__(self) -> None:
        self.ends: list[str] = []
        self.sent = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        whole = scope["path"] == "/whole"
        headers = [(b"content-length", str(SIZE).encode())] if whole else []
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        gone = asyncio.create_task(_until_gone(receive))
        piece = b"x" * (SIZE if whole else 2**16)
        for _piece in range(1 if whole else SIZE // 2**16):
            await send({"type": "http.response.body", "body": piece, "more_body": not whole})
            if gone.done():
                break
            self.sent += len(piece)
        if not whole and not gone.done():
            await send({"type": "http.response.body", "body": b""})
        self.ends.append("gone" if gone.done() else "complete")
        gone.cancel()


async def _until_gone(receive: Any) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


@pytest.fixture
def talker() -> Talker:
    return Talker()


@contextmanager
def asking(address: Address, path: str, *headers: str) -> Iterator[socket.socket]:
    """A connection that has sent its request, with a small buffer to read into."""
    with socket.socket() as caller:
        caller.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2**16)
        caller.settimeout(20)
        caller.connect(address)
        lines = [f"GET {path} HTTP/1.1", "Host: service.example", *headers, "", ""]
        caller.sendall("\r\n".join(lines).encode())
        yield caller


def read_on(caller: socket.socket) -> bytes:
    """What still comes, its last bytes only."""
    last = b""
    try:
        while more := caller.recv(2**20):
            last = (last + more)[-64:]
    except ConnectionResetError:
        pass
    return last


@pytest.mark.parametrize(
    ("path", "headers"),
    [
        pytest.param("/stream", (), id="a stream"),
        pytest.param("/whole", (), id="a whole answer"),
        pytest.param("/whole", ("Connection: close",), id="a whole answer on a connection that ends with it"),
    ],
)
def test_who_reads_nothing_is_cut_off(talker: Talker, path: str, headers: tuple[str, ...]) -> None:
    with (
        capture_logs(logging.WARNING) as lines,
        bare_server(talker, BOUNDS) as address,
        asking(address, path, *headers) as caller,
    ):
        wait_until(lambda: lines)
        assert [(line["event"], line["path"], line["address"]) for line in lines] == [
            ("slow reader", path, "127.0.0.1")
        ]
        assert lines[0]["unread"] > 0
        if path == "/stream":
            wait_until(lambda: talker.ends)
            assert talker.ends == ["gone"]
            assert lines[0]["unread"] <= WAITING_BYTES + 2**16 + 100
        assert not read_on(caller).endswith(b"0\r\n\r\n")


@pytest.mark.parametrize("path", ["/stream", "/whole"])
def test_who_pauses_and_reads_on_gets_it_all(talker: Talker, path: str) -> None:
    patient = replace(BOUNDS, read_seconds=10)
    with (
        capture_logs(logging.WARNING) as lines,
        bare_server(talker, patient) as address,
        asking(address, path) as caller,
    ):
        wait_until(lambda: talker.sent)
        time.sleep(0.3)
        received = 0
        while received < SIZE:
            received += len(caller.recv(2**20))
        wait_until(lambda: talker.ends)
    assert talker.ends == ["complete"]
    assert lines == []


def test_who_is_slow_but_reads_is_not_cut_off(talker: Talker) -> None:
    """Three times as long as a silent one is waited for."""
    slow = replace(BOUNDS, read_rate=1000, read_seconds=1)  # this process itself may have to wait a while
    with (
        capture_logs(logging.WARNING) as lines,
        bare_server(talker, slow) as address,
        asking(address, "/stream") as caller,
    ):
        give_up = time.monotonic() + 3 * slow.read_seconds
        while time.monotonic() < give_up:
            assert caller.recv(2**18)
            time.sleep(0.02)
        assert lines == []
        assert talker.ends == []
