"""Requests go to public addresses and no further, whatever a name leads to, and end in time."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from runtime.outbox.posting import Answer, Poster
from tests.outbox.receiver import Receiver, run_receiver

PUBLIC = "93.184.216.34"


def post(address: str, *lookups: list[str], allows_private: bool = False, seconds: float = 0.5) -> Answer:
    """One request; each lookup of the name has another answer, the last one again and again."""
    answers = list(lookups)

    async def resolve(_host: str, _port: int) -> list[str]:
        return answers.pop(0) if len(answers) > 1 else answers[0]

    async def run() -> Answer:
        poster = Poster(seconds, allows_private=allows_private, connections=4, lookup=resolve)
        try:
            return await poster.post(address, {"webhook-id": "msg_1"}, b"{}")
        finally:
            await poster.close()

    return asyncio.run(run())


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    with run_receiver() as receiver:
        yield receiver


PRIVATE = [
    ["127.0.0.1"], ["::1"], ["10.1.2.3"], ["192.168.0.1"], ["169.254.169.254"], ["100.64.0.1"], ["0.0.0.0"],
    ["fe80::1"], ["fd00::1"], ["::ffff:127.0.0.1"], ["64:ff9b::7f00:1"], ["2002:7f00:1::"], ["224.0.0.1"],
    [PUBLIC, "127.0.0.1"], ["127.0.0.1", PUBLIC], [],
]  # fmt: skip


@pytest.mark.parametrize("addresses", PRIVATE, ids=str)
def test_a_name_that_leads_to_a_private_address_is_not_connected_to(
    receiver: Receiver, addresses: list[str]
) -> None:
    port = receiver.address.rpartition(":")[2]
    answer = post(f"http://app.example:{port}/", addresses)
    assert answer.status is None
    assert receiver.came == []
    assert "127.0.0.1" not in str(answer)
    assert "169.254" not in str(answer)


def test_a_name_that_changes_between_two_requests_is_looked_at_each_time(receiver: Receiver) -> None:
    port = receiver.address.rpartition(":")[2]
    assert post(f"http://app.example:{port}/", ["127.0.0.1"], allows_private=True, seconds=10).status == 204
    assert post(f"http://app.example:{port}/", [PUBLIC], ["127.0.0.1"]).status is None
    assert len(receiver.came) == 1


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "127.1", "2130706433", "0x7f000001", "[::1]", "0"]
)
def test_spellings_of_this_machine(receiver: Receiver, host: str) -> None:
    port = receiver.address.rpartition(":")[2]

    async def run() -> Answer:
        poster = Poster(0.5, allows_private=False, connections=4)
        try:
            return await poster.post(f"http://{host}:{port}/", {}, b"{}")
        finally:
            await poster.close()

    assert asyncio.run(run()).status is None
    assert receiver.came == []


def test_proxies_of_the_environment_are_not_used(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    with run_receiver() as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.address)
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.delenv(name, raising=False)
        port = receiver.address.rpartition(":")[2]
        assert (
            post(f"http://app.example:{port}/", ["127.0.0.1"], allows_private=True, seconds=10).status == 204
        )
        assert proxy.came == []
        assert len(receiver.came) == 1


@contextmanager
def serve_raw(talk: Callable[[socket.socket], None]) -> Iterator[int]:
    """A server that says what it likes to the first that connects."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def run() -> None:
            try:
                connection, _peer = server.accept()
                with connection:
                    connection.settimeout(10)
                    connection.recv(65536)
                    talk(connection)
            except OSError:
                pass  # it was hung up

        thread = threading.Thread(target=run, daemon=True)
        thread.start()
        yield server.getsockname()[1]
    thread.join(5)


def hold(text: bytes) -> Callable[[socket.socket], None]:
    """Say something, and then nothing until the client hangs up."""

    def talk(connection: socket.socket) -> None:
        connection.sendall(text)
        while connection.recv(65536):
            pass

    return talk


LATE = "the address did not answer within 0.5 s"
NO_HTTP = "the address closed the connection, or did not answer in HTTP"


def drip(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
    for _ in range(30):
        connection.sendall(b"x")
        time.sleep(0.1)


def flood(connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
    while True:
        connection.sendall(b"x" * 65536)


def say(text: bytes) -> Callable[[socket.socket], None]:
    return lambda connection: connection.sendall(text)


@pytest.mark.parametrize(
    ("talk", "led_to"),
    [
        (drip, LATE),
        (hold(b""), LATE),
        (flood, 200),
        (hold(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1\r\nx\r\n" * 1000), 200),
        (hold(b"HTTP/1.1 103 Early\r\n\r\n" * 2000), NO_HTTP),
        (say(b""), NO_HTTP),
        (say(b"no HTTP\r\n\r\n"), NO_HTTP),
        (say(b"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"), NO_HTTP),
        (say(b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 100_000 + b"\r\n"), NO_HTTP),
        (say(b"HTTP/1.1 301 Moved\r\nLocation: http://127.0.0.1/\r\nContent-Length: 0\r\n\r\n"), 301),
        (say(b"HTTP/1.1 204 No Content\r\nSet-Cookie: a=b\r\n\r\n"), 204),
    ],
)  # fmt: skip
def test_an_answer_of_any_kind_ends_in_time(talk: Callable[[socket.socket], None], led_to: int | str) -> None:
    with serve_raw(talk) as port:
        began = time.monotonic()
        answer = post(f"http://app.example:{port}/", ["127.0.0.1"], allows_private=True)
        assert time.monotonic() - began < 1.5
        assert (answer.status or answer.fault) == led_to


def test_nobody_listens() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    answer = post(f"http://app.example:{port}/", ["127.0.0.1"], allows_private=True)
    assert answer == Answer(fault="no connection to the address, or to one that is not allowed")


def test_a_certificate_must_be_that_of_the_name(receiver: Receiver, tmp_path: Path) -> None:
    port = receiver.address.rpartition(":")[2]
    answer = post(f"https://app.example:{port}/", ["127.0.0.1"], allows_private=True)
    assert answer == Answer(
        fault="no TLS connection to the address: it needs a valid certificate for its name"
    )
    assert receiver.came == []


def test_a_slow_name_holds_one_thread_however_often_it_is_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, may_answer = list[str](), threading.Event()

    def look_up(host: str, *_rest: object, **_options: object) -> list[object]:
        asked.append(host)
        may_answer.wait(10)
        raise OSError("no such name")

    async def run() -> list[Answer]:
        poster = Poster(0.2, allows_private=True, connections=200)
        addresses = [f"http://{name}.example/{number}" for number in range(40) for name in ("slow", "other")]
        try:
            return await asyncio.gather(*(poster.post(one, {}, b"{}") for one in addresses))
        finally:
            may_answer.set()
            await poster.close()

    with monkeypatch.context() as patched:
        patched.setattr("runtime.outbox.posting.socket.getaddrinfo", look_up)
        answers = asyncio.run(run())
    assert sorted(asked) == ["other.example", "slow.example"]
    assert {one.fault for one in answers} == {"the address did not answer within 0.2 s"}
