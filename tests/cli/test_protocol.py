"""What a connection may send: heads of any shape, bodies that stall, requests one behind the other.

On real sockets, with an application that answers what it was asked, and bounds that are soon reached.
"""

from __future__ import annotations

import asyncio
import gc
import json
import socket
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar

import pytest
from starlette.requests import Request
from starlette.responses import Response

from runtime.cli.bounds import Bounds
from runtime.cli.protocol import Protocol
from runtime.errors.phrases import reason_phrase
from runtime.http.front import Front
from runtime.http.security_headers import security_headers
from tests.bare_server import Address, Caller, Received, bare_server
from tests.patience import wait_until
from tests.scenario import check_problem

BOUNDS = Bounds(
    head_bytes=65536, head_seconds=10, body_rate=1024, connections=100, always=frozenset({b"/live"})
)
HASTY = replace(BOUNDS, head_seconds=0.3, body_rate=1000)
"""Bounds in time that a test can wait for."""

HOST = b"Host: service.example\r\n"
GET = b"GET /first HTTP/1.1\r\n" + HOST + b"\r\n"
POST = b"POST /body HTTP/1.1\r\n" + HOST
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"


class Echo:
    """Answers with what it was asked. ``/early`` reads no body, ``/held/…`` waits to be let go, ``/endless/…`` streams,
    ``/status/422`` has that status.

    ``held``: the paths that wait; ``left``: those whose caller went away.
    """

    def __init__(self) -> None:
        self.held: dict[str, asyncio.Event] = {}
        self.left: set[str] = set()
        self._loop: asyncio.AbstractEventLoop | None = None

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        path, body = scope["path"], b""
        if path.startswith("/endless"):
            await self._stream(path, receive, send)
            return
        if path.startswith("/held"):
            self._loop, gate = asyncio.get_running_loop(), asyncio.Event()
            self.held[path] = gate
            await gate.wait()
        while path != "/early":
            message = await receive()
            if message["type"] == "http.disconnect":
                self.left.add(path)
                return
            body += message["body"]
            if not message["more_body"]:
                break
        facts = {
            "path": path, "bytes": len(body),
            "headers": [[name.decode("latin-1"), value.decode("latin-1")] for name, value in scope["headers"]],
        }  # fmt: skip
        content = json.dumps(facts).encode()
        length = (b"content-length", str(len(content)).encode())
        status = int(path.removeprefix("/status/")) if path.startswith("/status/") else 200
        await send({"type": "http.response.start", "status": status, "headers": [length]})
        await send({"type": "http.response.body", "body": content})

    async def _stream(self, path: str, receive: Any, send: Any) -> None:
        await receive()
        gone = asyncio.ensure_future(receive())
        await send({"type": "http.response.start", "status": 200, "headers": []})
        while not gone.done():
            await send({"type": "http.response.body", "body": b"x", "more_body": True})
            await asyncio.sleep(0.01)
        self.left.add(path)

    def wait_for(self, path: str) -> None:
        wait_until(lambda: path in self.held)

    def let_go(self, path: str) -> None:
        assert self._loop is not None
        self._loop.call_soon_threadsafe(self.held.pop(path).set)


@pytest.fixture(scope="module")
def echo() -> Echo:
    return Echo()


@pytest.fixture(scope="module")
def served(echo: Echo) -> Iterator[Address]:
    with bare_server(echo, BOUNDS) as address:
        yield address


@pytest.fixture(scope="module")
def hasty(echo: Echo) -> Iterator[Address]:
    with bare_server(echo, HASTY, idle_seconds=0.3) as address:
        yield address


@pytest.mark.parametrize("listens_on_ipv6", [False, True])
def test_an_address_of_ipv4_has_one_spelling(listens_on_ipv6: bool) -> None:
    if listens_on_ipv6 and not socket.has_dualstack_ipv6():
        pytest.skip("this machine has no IPv6")
    clients: list[str] = []

    async def note_client(scope: Any, receive: Any, send: Any) -> None:
        clients.append(scope["client"][0])
        await Response()(scope, receive, send)

    with bare_server(note_client, BOUNDS, listens_on_ipv6=listens_on_ipv6) as address, Caller(address) as one:
        one.send(b"GET / HTTP/1.1\r\n" + HOST + b"\r\n")
        assert one.read().status == 200
    assert clients == ["127.0.0.1"]


def refused(answer: Received, status: int, code: str) -> None:
    """A problem, as everywhere, and the last answer of its connection."""
    assert answer.status == status, answer.body
    check_problem(status, answer.headers, answer.json)
    assert answer.json["code"] == code
    assert answer.headers["connection"] == "close"
    for name, value in security_headers((), is_https=False):
        assert answer.headers[name.decode()] == value.decode()


def head(*lines: bytes) -> bytes:
    return b"".join([b"GET /first HTTP/1.1\r\n", HOST, *lines, b"\r\n"])


def connections() -> list[Protocol]:
    """Those that are open, of all servers of this process. ``isinstance`` would ask dead weak references."""
    found = [one for one in gc.get_objects() if issubclass(type(one), Protocol)]
    return [one for one in found if one.parser is not None]


def test_a_connection_that_has_ended_waits_for_no_collector(served: Address) -> None:
    gc.collect()
    gc.disable()
    try:
        for _connection in range(3):
            with Caller(served) as caller:
                caller.send(GET)
                assert caller.read().status == 200
        wait_until(lambda: not connections())
        assert [one for one in gc.get_objects() if issubclass(type(one), Protocol)] == []
    finally:
        gc.enable()


class TestTheSizeOfAHead:
    TOO_LARGE: ClassVar[dict[str, bytes]] = {
        "a long URL": b"GET /" + b"x" * 65_536 + b" HTTP/1.1\r\n" + HOST + b"\r\n",
        "a long value": head(b"X-Long: " + b"x" * 65_536 + b"\r\n"),
        "a long name": head(b"X" * 65_536 + b": x\r\n"),
        "many bytes in some headers": head(*[b"X-%d: " % n + b"x" * 1000 + b"\r\n" for n in range(70)]),
        "201 headers": head(*[b"X-%d: x\r\n" % n for n in range(200)]),
        "an endless value": head(b"X-Long: " + b"x" * 500_000),
        "an endless name": head(b"X" * 500_000),
        "an endless URL": b"GET /" + b"x" * 500_000,
        "endless blanks before a value": head(b"X: " + b" " * 500_000),
        "endless empty lines": b"\r\n" * 250_000,
        "a long trailer": CHUNKED + b"1\r\nx\r\n0\r\nX-Long: " + b"x" * 70_000 + b"\r\n\r\n",
        "an endless trailer": CHUNKED + b"1\r\nx\r\n0\r\nX-Long: " + b"x" * 500_000,
        "many trailers": CHUNKED + b"0\r\n" + b"a: b\r\n" * 300 + b"\r\n",
        "an endless chunk extension": CHUNKED + b"1;e=" + b"x" * 500_000,
        "chunk extensions of many chunks": CHUNKED + (b"1;e=" + b"x" * 5000 + b"\r\nx\r\n") * 100,
    }  # fmt: skip

    @pytest.mark.parametrize("sent", TOO_LARGE.values(), ids=TOO_LARGE.keys())
    def test_what_is_too_large_is_cut(self, served: Address, sent: bytes) -> None:
        with Caller(served) as caller:
            caller.send(sent)
            refused(caller.read(), 431, "request.head_too_large")
            assert caller.is_at_end()

    @pytest.mark.parametrize(
        "more", [b"a: b\r\n" * 2_000_000, b"X-Long: " + b"x" * 20_000_000], ids=["many", "long"]
    )
    def test_who_goes_on_regardless_is_cut_off(self, served: Address, more: bytes) -> None:
        """Of what comes behind the bound next to nothing is taken."""
        with Caller(served) as caller, pytest.raises(ConnectionError):
            caller.send(head(more))

    FITS: ClassVar[dict[str, bytes]] = {
        "a URL of 65,000 characters": b"GET /" + b"x" * 65_000 + b" HTTP/1.1\r\n" + HOST + b"\r\n",
        "a value of 65,000 characters": head(b"X-Long: " + b"x" * 65_000 + b"\r\n"),
        "200 headers": head(*[b"X-%d: x\r\n" % n for n in range(199)]),
        "a body of many bytes": b"POST /body HTTP/1.1\r\n" + HOST + b"Content-Length: 300000\r\n\r\n" + b"x" * 300_000,
        "a body of chunks of one byte": CHUNKED + b"1\r\nx\r\n" * 100_000 + b"0\r\n\r\n",
        "a body of chunks with extensions": CHUNKED + b"64;name=value\r\n" + b"x" * 100 + b"\r\n0\r\nX-T: x\r\n\r\n",
    }  # fmt: skip

    @pytest.mark.parametrize("sent", FITS.values(), ids=FITS.keys())
    def test_what_fits_is_answered(self, served: Address, sent: bytes) -> None:
        with Caller(served) as caller:
            caller.send(sent)
            assert caller.read().status == 200
            caller.send(GET)
            assert caller.read().status == 200

    @pytest.mark.parametrize("size", [1, 7, 1000], ids="in pieces of {}".format)
    def test_the_bounds_are_those_of_one_request(self, served: Address, size: int) -> None:
        """However it is cut, and whatever came before on the connection."""
        sent = head(b"X-Long: " + b"x" * (60_000 if size > 7 else 2000) + b"\r\n")
        with Caller(served) as caller:
            for _ in range(3):
                for start in range(0, len(sent), size):
                    caller.send(sent[start : start + size])
                assert caller.read().status == 200


class TestTrailers:
    def test_they_are_no_headers(self, served: Address) -> None:
        """Else who can send one only behind a proxy's back would have said what the proxy says."""
        trailers = b"X-Forwarded-For: 192.0.2.1\r\nAuthorization: Bearer x\r\n"
        with Caller(served) as caller:
            caller.send(CHUNKED + b"1\r\nx\r\n0\r\n" + trailers + b"\r\n")
            told = caller.read().json
            assert told["bytes"] == 1
            assert [name for name, _value in told["headers"]] == ["host", "transfer-encoding"]

    def test_they_do_not_reach_the_next_request(self, served: Address) -> None:
        with Caller(served) as caller:
            caller.send(CHUNKED + b"0\r\nX-Trailer: x\r\n\r\n" + GET)
            caller.read()
            assert caller.read().json["headers"] == [["host", "service.example"]]


class TestHost:
    BAD: ClassVar[dict[str, bytes]] = {
        "none": b"GET / HTTP/1.1\r\n\r\n",
        "two": b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "two of the same": b"GET / HTTP/1.1\r\nHost: a\r\nhost: a\r\n\r\n",
        "two, the first one far away": b"GET / HTTP/1.1\r\nHost: a\r\nX: x\r\nHost: b\r\n\r\n",
        "two in HTTP/1.0": b"GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n",
        "none with a whole URL": b"GET http://a/ HTTP/1.1\r\n\r\n",
    }  # fmt: skip
    BAD_VALUES: ClassVar[list[bytes]] = [
        b"", b" ", b"a b", b"a,b", b"a/b", b"a@b", b"user:pw@a", b"a:b", b"a:80:80", b"a:99999", b"a:123456", b":80",
        b"http://a", b"[::1", b"::1", b"[::1]x", b"[a]", b"[::1]:x", b"a?b", b"a#b", b"\xc3\xa4", b"a\\b", b"a%00b",
        b"<a>", b"[1::2::3]", b"a" * 300,
    ]  # fmt: skip
    GOOD_VALUES: ClassVar[list[bytes]] = [
        b"a", b"service.example", b"service.example.", b"a:80", b"127.0.0.1:8080", b"[::1]", b"[2001:db8::1]:443",
        b"a_b.example", b"xn--bcher-kva.example", b"A", b"a:", b"a:65535", b"[::ffff:192.0.2.1]",
    ]  # fmt: skip

    @pytest.mark.parametrize("sent", BAD.values(), ids=BAD.keys())
    def test_it_comes_once(self, served: Address, sent: bytes) -> None:
        with Caller(served) as caller:
            caller.send(sent)
            answer = caller.read()
            refused(answer, 400, "request.malformed")
            assert "Host" in answer.json["detail"]

    @pytest.mark.parametrize("value", BAD_VALUES, ids=repr)
    def test_it_names_a_host(self, served: Address, value: bytes) -> None:
        with Caller(served) as caller:
            caller.send(b"GET / HTTP/1.1\r\nHost: " + value + b"\r\n\r\n")
            refused(caller.read(), 400, "request.malformed")

    @pytest.mark.parametrize("value", GOOD_VALUES, ids=repr)
    def test_hosts(self, served: Address, value: bytes) -> None:
        with Caller(served) as caller:
            caller.send(b"GET / HTTP/1.1\r\nHost: " + value + b"\r\n\r\n")
            assert caller.read().status == 200

    def test_http_1_0_needs_none(self, served: Address) -> None:
        with Caller(served) as caller:
            caller.send(b"GET /old HTTP/1.0\r\n\r\n")
            assert caller.read().json["path"] == "/old"
            assert caller.is_at_end()

    @pytest.mark.parametrize("version", [b"", b" HTTP/0.9", b" HTTP/2.0"])
    def test_other_versions_are_not_spoken(self, served: Address, version: bytes) -> None:
        with Caller(served) as caller:
            caller.send(b"GET /" + version + b"\r\nHost: a\r\n\r\n")
            refused(caller.read(), 400, "request.malformed")

    def test_the_answer_to_head_has_no_body(self, served: Address) -> None:
        with Caller(served) as caller:
            caller.send(b"HEAD / HTTP/1.1\r\n\r\n")
            answer = b""
            while more := caller.socket.recv(65536):
                answer += more
            assert answer.startswith(b"HTTP/1.1 400")
            assert answer.endswith(b"\r\n\r\n")


class TestUpgrades:
    UPGRADE = HOST + b"Connection: Upgrade\r\nUpgrade: h2c\r\n"

    def test_a_request_is_answered_as_it_is_and_nothing_behind_it(self, served: Address) -> None:
        with Caller(served) as caller:
            caller.send(b"GET /first HTTP/1.1\r\n" + self.UPGRADE + b"\r\n" + GET)
            answer = caller.read()
            assert (answer.json["path"], answer.headers["connection"]) == ("/first", "close")
            assert caller.is_at_end()

    def test_a_body_is_never_read_as_a_request(self, served: Address) -> None:
        with Caller(served) as caller:
            length = b"Content-Length: %d\r\n\r\n" % len(GET)
            caller.send(b"POST /body HTTP/1.1\r\n" + self.UPGRADE + length + GET)
            refused(caller.read(), 400, "request.malformed")
            assert caller.is_at_end()


class TestTime:
    @pytest.mark.parametrize(
        "begun",
        [
            pytest.param(b"G", id="one byte"),
            pytest.param(b"GET /first HTTP/1.1\r\nHo", id="half a header"),
            pytest.param(GET[:-2], id="all but the last line"),
            pytest.param(GET * 2 + GET[:-2], id="behind two that are answered"),
        ],
    )
    def test_half_a_head_ends(self, hasty: Address, begun: bytes) -> None:
        with Caller(hasty) as caller:
            caller.send(begun)
            for _ in range(begun.count(GET)):
                assert caller.read().status == 200
            refused(caller.read(), 408, "request.timeout")
            assert caller.is_at_end()

    def test_a_head_that_drips_ends(self, hasty: Address) -> None:
        """The time is that of the head, not of a pause."""
        with Caller(hasty) as caller:
            began = time.monotonic()
            caller.socket.settimeout(0.02)
            answer = b""
            for byte in head(b"X-Long: " + b"x" * 10_000):
                try:
                    caller.send(bytes([byte]))
                    answer += caller.socket.recv(65536)
                except TimeoutError:
                    continue
                break
            assert answer.startswith(b"HTTP/1.1 408")
            assert time.monotonic() - began < 5

    def test_a_connection_that_says_nothing_ends_without_a_word(self, hasty: Address) -> None:
        with Caller(hasty) as caller:
            assert caller.is_at_end()

    def test_an_idle_connection_ends(self, hasty: Address) -> None:
        with Caller(hasty) as caller:
            caller.send(GET)
            assert caller.read().status == 200
            assert caller.is_at_end()

    def test_empty_lines_do_not_keep_a_connection(self, hasty: Address) -> None:
        with Caller(hasty) as caller:
            caller.send(GET)
            caller.read()
            began = time.monotonic()
            caller.socket.settimeout(0.05)
            while True:
                try:
                    caller.send(b"\r\n")
                    assert caller.socket.recv(1) == b""
                    break
                except TimeoutError:
                    assert time.monotonic() - began < 5
                except OSError:
                    break

    @pytest.mark.parametrize(
        "begun",
        [
            pytest.param(
                b"POST /body HTTP/1.1\r\n" + HOST + b"Content-Length: 9\r\n\r\n", id="nothing of a body"
            ),
            pytest.param(
                b"POST /body HTTP/1.1\r\n" + HOST + b"Content-Length: 9\r\n\r\n12345678", id="half a body"
            ),
            pytest.param(CHUNKED + b"5\r\n12", id="half a chunk"),
            pytest.param(CHUNKED + b"5\r\n12345\r\n0\r\n", id="no end of the chunks"),
            pytest.param(GET + CHUNKED + b"5\r\n12345\r\n", id="behind another"),
        ],
    )
    def test_half_a_body_ends(self, hasty: Address, echo: Echo, begun: bytes) -> None:
        echo.left.discard("/body")
        with Caller(hasty) as caller:
            caller.send(begun.replace(POST, POST + b"X-Request-Id: half\r\n"))
            for _ in range(begun.count(GET)):
                assert caller.read().status == 200
            answer = caller.read()
            refused(answer, 408, "request.timeout")
            assert (answer.json["instance"], answer.headers["x-request-id"]) == ("/body", "half")
            assert caller.is_at_end()
        wait_until(lambda: "/body" in echo.left)

    def test_half_a_body_is_logged_as_it_is_refused(self, monkeypatch: pytest.MonkeyPatch) -> None:
        lines: list[tuple[int, str]] = []
        monkeypatch.setattr(
            "runtime.logs.access",
            lambda _scope, status, _seconds, request_id, _caller, **_more: lines.append((status, request_id)),
        )

        async def read_body(scope: Any, receive: Any, _send: Any) -> None:
            await Request(scope, receive).body()

        with bare_server(Front(read_body), HASTY) as address, Caller(address) as caller:
            caller.send(POST + b"Content-Length: 9\r\n\r\n12345678")
            answer = caller.read()
            refused(answer, 408, "request.timeout")
            wait_until(lambda: lines == [(408, answer.headers["x-request-id"])])

    def test_a_body_that_drips_ends(self, hasty: Address) -> None:
        with Caller(hasty) as caller:
            caller.send(b"POST /body HTTP/1.1\r\n" + HOST + b"Content-Length: 100000\r\n\r\n")
            caller.socket.settimeout(0.02)
            answer = b""
            deadline = time.monotonic() + 5
            while not answer:
                assert time.monotonic() < deadline
                try:
                    caller.send(b"x")
                    answer = caller.socket.recv(65536)
                except TimeoutError:
                    pass
            assert answer.startswith(b"HTTP/1.1 408")

    def test_a_body_that_comes_slowly_but_fast_enough_is_read(self, hasty: Address) -> None:
        with Caller(hasty) as caller:
            caller.send(b"POST /body HTTP/1.1\r\n" + HOST + b"Content-Length: 100000\r\n\r\n")
            for _ in range(100):
                caller.send(b"x" * 1000)
                time.sleep(0.008)  # longer in all than a head may take
            assert caller.read().json["bytes"] == 100_000

    def test_a_sender_is_not_blamed_for_a_slow_reader(self, hasty: Address, echo: Echo) -> None:
        """The application takes nothing for a while: the body waits in the sockets."""
        with Caller(hasty) as caller:
            caller.send(
                b"POST /held/body HTTP/1.1\r\n" + HOST + b"Content-Length: 200000\r\n\r\n" + b"x" * 190_000
            )
            echo.wait_for("/held/body")
            time.sleep(0.8)
            echo.let_go("/held/body")
            caller.send(b"x" * 10_000)
            assert caller.read().json["bytes"] == 200_000

    def test_who_waits_for_100_continue_is_not_late(self, hasty: Address, echo: Echo) -> None:
        with Caller(hasty) as caller:
            expect = b"Expect: 100-continue\r\nContent-Length: 3\r\n\r\n"
            caller.send(b"POST /held/expect HTTP/1.1\r\n" + HOST + expect)
            echo.wait_for("/held/expect")
            time.sleep(0.8)
            echo.let_go("/held/expect")
            assert caller._until(b"\r\n\r\n")[0] == b"HTTP/1.1 100 Continue"
            caller._received = b""
            caller.send(b"abc")
            assert caller.read().json["bytes"] == 3

    def test_a_body_that_nobody_reads_ends(self, hasty: Address) -> None:
        with Caller(hasty) as caller:
            caller.send(b"POST /early HTTP/1.1\r\n" + HOST + b"Content-Length: 9\r\n\r\n")
            assert caller.read().status == 200
            assert caller.is_at_end()

    def test_an_answer_may_take_its_time(self, hasty: Address, echo: Echo) -> None:
        with Caller(hasty) as caller:
            caller.send(b"GET /held/answer HTTP/1.1\r\n" + HOST + b"\r\n")
            echo.wait_for("/held/answer")
            time.sleep(0.8)
            echo.let_go("/held/answer")
            assert caller.read().status == 200


class TestBodiesThatNobodyReads:
    BODY = b"x" * 2**22
    """More than the buffers of both ends hold."""

    @pytest.mark.parametrize("connection", [b"", b"Connection: close\r\n"], ids=["kept", "closed"])
    @pytest.mark.parametrize("version", [b"1.1", b"1.0"])
    def test_the_answer_arrives_behind_the_whole_body(
        self, served: Address, connection: bytes, version: bytes
    ) -> None:
        with Caller(served) as caller:
            length = b"Content-Length: %d\r\n\r\n" % len(self.BODY)
            caller.send(b"POST /early HTTP/" + version + b"\r\n" + HOST + connection + length)
            caller.send(self.BODY)
            assert caller.read().status == 200

    def test_a_body_without_end_is_cut_off(self, hasty: Address) -> None:
        with Caller(hasty) as caller:
            caller.send(
                b"POST /early HTTP/1.1\r\n" + HOST + b"Connection: close\r\nContent-Length: 999999999\r\n\r\n"
            )
            assert caller.read().status == 200
            wait_until(lambda: not connections())

    @pytest.mark.parametrize(
        "coding",
        [
            b"Transfer-Encoding: gzip, chunked",
            b"Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked",
            b"Transfer-Encoding: chunked, chunked",
            b"Transfer-Encoding: identity, chunked",
        ],
    )
    def test_no_transfer_coding_is_decoded(self, served: Address, coding: bytes) -> None:
        with Caller(served) as caller:
            caller.send(POST + coding + b"\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
            refused(caller.read(), 400, "request.malformed")

    def test_chunks_are_read_however_they_are_spelt(self, served: Address) -> None:
        with Caller(served) as caller:
            caller.send(POST + b"Transfer-Encoding:  Chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
            assert caller.read().json["bytes"] == 3


class TestExpectations:
    def test_a_body_that_was_not_asked_for_is_no_body_of_the_next(self, served: Address) -> None:
        """The caller was answered without 100 and may send it or not; so the connection ends."""
        with Caller(served) as caller:
            caller.send(
                b"POST /early HTTP/1.1\r\n" + HOST + b"Expect: 100-continue\r\nContent-Length: 500\r\n\r\n"
            )
            assert caller.read().headers["connection"] == "close"
            assert caller.is_at_end()


class TestOneBehindTheOther:
    def test_all_are_answered_in_their_order(self, served: Address) -> None:
        with Caller(served) as caller:
            caller.send(b"".join(b"GET /%d HTTP/1.1\r\n" % n + HOST + b"\r\n" for n in range(2000)))
            for number in range(2000):
                assert caller.read().json["path"] == f"/{number}"
            caller.send(GET)
            assert caller.read().json["path"] == "/first"

    def test_bodies_between_them(self, served: Address) -> None:
        post = b"POST /%d HTTP/1.1\r\n" + HOST + b"Content-Length: 3000\r\n\r\n" + b"x" * 3000
        with Caller(served) as caller:
            caller.send(b"".join(post % n + GET for n in range(100)))
            for number in range(100):
                told = caller.read().json
                assert (told["path"], told["bytes"]) == (f"/{number}", 3000)
                assert caller.read().json["path"] == "/first"

    def test_few_of_them_wait_in_memory(self, served: Address, echo: Echo) -> None:
        """The rest waits unread, so that one connection cannot fill the memory with requests."""
        with Caller(served) as caller:
            caller.send(b"GET /held/many HTTP/1.1\r\n" + HOST + b"\r\n")
            echo.wait_for("/held/many")
            caller.send(GET * 3000)
            wait_until(lambda: any(one.pipeline for one in connections()))
            assert max(len(one.pipeline) for one in connections()) < 500
            echo.let_go("/held/many")
            for _ in range(3001):
                assert caller.read().status == 200

    @pytest.mark.parametrize(
        ("behind", "status"),
        [
            (b"NONSENSE\r\n\r\n", 400),
            (b"GET / HTTP/1.1\r\n\r\n", 400),
            (head(b"X: " + b"x" * 70_000 + b"\r\n"), 431),
        ],
    )
    def test_what_is_refused_waits_for_the_answer_before(
        self, served: Address, echo: Echo, behind: bytes, status: int
    ) -> None:
        with Caller(served) as caller:
            caller.send(b"GET /held/refused HTTP/1.1\r\n" + HOST + b"\r\n" + GET + behind)
            echo.wait_for("/held/refused")
            echo.let_go("/held/refused")
            assert caller.read().json["path"] == "/held/refused"
            assert caller.read().json["path"] == "/first"
            assert caller.read().status == status
            assert caller.is_at_end()

    def test_what_is_refused_waits_for_an_answer_without_a_body(self, served: Address, echo: Echo) -> None:
        with Caller(served) as caller:
            caller.send(b"HEAD /held/bare HTTP/1.1\r\n" + HOST + b"\r\nNONSENSE\r\n\r\n")
            echo.wait_for("/held/bare")
            echo.let_go("/held/bare")
            answers = b""
            while more := caller.socket.recv(65536):
                answers += more
            assert [line[9:12] for line in answers.split(b"\r\n") if line.startswith(b"HTTP/")] == [
                b"200",
                b"400",
            ]
            assert answers.endswith(b"}")  # the method of the second is unknown, and not HEAD again

    def test_who_goes_away_ends_all_of_them(self, served: Address, echo: Echo) -> None:
        """Also the one that is answered, and not only the last that was asked."""
        with Caller(served) as caller:
            caller.send(b"GET /endless/1 HTTP/1.1\r\n" + HOST + b"\r\n")
            assert caller.socket.recv(12) == b"HTTP/1.1 200"
            caller.send(GET)
        wait_until(lambda: "/endless/1" in echo.left)

    def test_a_broken_body_cuts_an_answer_that_has_begun(self, served: Address, echo: Echo) -> None:
        with Caller(served) as caller:
            caller.send(CHUNKED.replace(b"/body", b"/endless/2") + b"1\r\nx\r\n")
            assert caller.socket.recv(12) == b"HTTP/1.1 200"
            caller.send(b"no chunk\r\n")
            rest = b""
            while more := caller.socket.recv(65536):
                rest += more
            assert b"HTTP/1.1 400" not in rest
            assert not rest.endswith(b"0\r\n\r\n")
        wait_until(lambda: "/endless/2" in echo.left)


@pytest.mark.parametrize("connection", [b"", b"Connection: close\r\n"], ids=["kept", "closed"])
def test_statuses_have_the_phrases_of_the_document(served: Address, connection: bytes) -> None:
    for status in (404, 413, 414, 416, 422):
        with Caller(served) as caller:
            caller.send(b"GET /status/%d HTTP/1.1\r\n" % status + HOST + connection + b"\r\n")
            answer = caller.read()
        assert (answer.status, answer.phrase) == (status, reason_phrase(status))


class TestTheNumberOfConnections:
    @pytest.fixture
    def narrow(self, echo: Echo) -> Iterator[Address]:
        with bare_server(echo, replace(BOUNDS, connections=2)) as address:
            yield address

    def test_more_are_told_to_come_back(self, narrow: Address) -> None:
        with Caller(narrow) as first, Caller(narrow) as second:
            for caller in (first, second):
                caller.send(GET)
                assert caller.read().status == 200
            with Caller(narrow) as third:
                third.send(GET)
                answer = third.read()
                refused(answer, 503, "service.overloaded")
                assert answer.headers["retry-after"] == "1"
                assert third.is_at_end()
            first.send(GET)
            assert first.read().status == 200

    def test_a_probe_is_answered(self, narrow: Address) -> None:
        with Caller(narrow) as first, Caller(narrow) as second, Caller(narrow) as third:
            for caller in (first, second):
                caller.send(GET)
                caller.read()
            third.send(b"GET /live?x HTTP/1.1\r\n" + HOST + b"\r\n")
            answer = third.read()
            assert (answer.status, answer.headers["connection"]) == (200, "close")

    def test_twice_as_many_are_not_listened_to(self, narrow: Address) -> None:
        before = len(connections())
        callers = [Caller(narrow) for _ in range(4)]
        try:
            wait_until(lambda: len(connections()) == 4 + before)
            with Caller(narrow) as fifth:
                assert fifth.is_at_end()
        finally:
            for caller in callers:
                caller.socket.close()

    def test_there_is_room_again_when_others_leave(self, narrow: Address) -> None:
        before = len(connections())
        for _ in range(10):
            with Caller(narrow) as caller:
                caller.send(GET)
                assert caller.read().status == 200
            wait_until(lambda: len(connections()) == before)


def test_refusals_send_browsers_to_https_as_answers_do(echo: Echo) -> None:
    with bare_server(echo, replace(BOUNDS, is_https=True)) as address, Caller(address) as caller:
        caller.send(b"NONSENSE\r\n\r\n")
        assert caller.read().headers["strict-transport-security"] == "max-age=31536000"
