"""Large answers on real sockets: what their readers receive, and that none is counted once it has ended."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest

from runtime.http.calling import _CALL
from runtime.http.front import Front
from runtime.http.unread_answers import unread_answers
from tests.bare_server import Address, Caller, bare_server
from tests.cli.test_reading import BOUNDS, asking, read_on
from tests.log_lines import capture_logs
from tests.patience import wait_until

SIZE = 8 * 2**20
BODY = bytes(range(256)) * (SIZE // 256)
PRINCIPAL = SimpleNamespace(subject="clerk", impersonator=None)


async def answer(scope: Any, _receive: Any, send: Any) -> None:
    """Answer with a large body, as to a user who has signed in; ``/broken`` with less than it announces."""
    scope[_CALL] = SimpleNamespace(turn=SimpleNamespace(key="clerk"), principal=PRINCIPAL)
    length = SIZE + (scope["path"] == "/broken")
    headers = [(b"content-length", str(length).encode())]
    if scope["path"] == "/chunked":
        headers = []
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": BODY})


@pytest.fixture
def address() -> Iterator[Address]:
    with bare_server(Front(answer), BOUNDS) as found:
        yield found


def is_empty() -> bool:
    return not (unread_answers._bytes or unread_answers._of_users)


def ask(method: str = "GET", path: str = "/", version: str = "1.1", *headers: str) -> bytes:
    lines = [f"{method} {path} HTTP/{version}", "Host: service.example", *headers, "", ""]
    return "\r\n".join(lines).encode()


def test_requests_in_the_pipe_are_answered_in_turn(address: Address) -> None:
    with Caller(address) as caller:
        caller.send(ask() + ask("HEAD") + ask())
        assert caller.read().body == BODY
        head, _, caller._received = caller._until(b"\r\n\r\n")
        assert f"content-length: {SIZE}".encode() in head
        assert caller.read().body == BODY
    assert is_empty()


@pytest.mark.parametrize(
    "request_",
    [
        pytest.param(ask("GET", "/", "1.0"), id="HTTP/1.0"),
        pytest.param(ask("GET", "/", "1.1", "Connection: close"), id="a connection that is to be closed"),
    ],
)
def test_a_connection_ends_behind_all_of_an_answer(address: Address, request_: bytes) -> None:
    with Caller(address) as caller:
        caller.send(request_)
        received = caller.read()
        assert (received.headers["content-length"], received.body) == (str(SIZE), BODY)
        assert caller.is_at_end()
    wait_until(is_empty)


def test_an_answer_without_a_length_is_complete(address: Address) -> None:
    with Caller(address) as caller:
        caller.send(ask("GET", "/chunked"))
        assert caller.read().headers["transfer-encoding"] == "chunked"
    wait_until(is_empty)


def test_who_hangs_up_in_the_middle_is_forgotten(address: Address) -> None:
    with asking(address, "/") as caller:
        caller.recv(2**16)
        wait_until(lambda: not is_empty())
    wait_until(is_empty)


def test_who_reads_nothing_is_cut_off_and_forgotten(address: Address) -> None:
    with capture_logs(logging.WARNING) as lines, asking(address, "/") as caller:
        wait_until(lambda: bool(lines))
        wait_until(is_empty)
        read_on(caller)


def test_an_answer_that_is_shorter_than_it_says_is_forgotten(address: Address) -> None:
    with Caller(address) as caller, capture_logs(logging.CRITICAL):
        caller.send(ask("GET", "/broken"))
        with pytest.raises(AssertionError, match="the connection ended"):
            caller.read()
    wait_until(is_empty)
