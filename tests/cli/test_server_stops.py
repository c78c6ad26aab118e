"""A server that stops answers what has connected; none of its clients is reset."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest

from runtime.cli.newcomers import turn_away
from tests.cli.started import started

pytestmark = pytest.mark.anyio

REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Says hello, or waits for the rest of a body."""
    if scope["type"] == "http":
        if scope["path"] == "/fault":
            raise asyncio.CancelledError
        if scope["path"] == "/begun":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"hel", "more_body": True})
        while scope["path"] != "/" and (await receive()).get("more_body"):
            pass
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]})
        await send({"type": "http.response.body", "body": b"hello"})


async def read_answer(connection: socket.socket) -> bytes:
    """Everything until the server closes the connection."""
    loop = asyncio.get_running_loop()
    connection.setblocking(False)
    received = b""
    while chunk := await loop.sock_recv(connection, 65536):
        received += chunk
    return received


async def test_connections_in_the_accept_queue_are_answered() -> None:
    async with started(app) as (server, listener):
        # Nothing here lets the event loop run: the server has not accepted any of them yet.
        waiting = [socket.create_connection(listener.getsockname()) for _ in range(20)]
        for connection in waiting:
            connection.sendall(REQUEST)
        await server.shutdown([listener])
        answers = [await read_answer(connection) for connection in waiting]
    assert [answer.endswith(b"\r\n\r\nhello") for answer in answers] == [True] * 20
    assert all(b"connection: close" in answer for answer in answers)
    for connection in waiting:
        connection.close()


async def test_idle_connection_may_still_bring_its_request() -> None:
    loop = asyncio.get_running_loop()
    async with started(app) as (server, listener):
        with socket.create_connection(listener.getsockname()) as client:
            client.setblocking(False)
            await loop.sock_sendall(client, REQUEST)
            first = await loop.sock_recv(client, 65536)
            assert b"connection: close" not in first
            stopping = asyncio.create_task(server.shutdown([listener]))
            await asyncio.sleep(0)  # it has begun
            await loop.sock_sendall(client, REQUEST)
            answer = await read_answer(client)
            await stopping
    assert b"connection: close" in answer
    assert answer.endswith(b"hello")


async def test_idle_connection_is_closed_in_the_end() -> None:
    async with started(app) as (server, listener):
        with socket.create_connection(listener.getsockname()) as client:
            await asyncio.sleep(0.01)
            await server.shutdown([listener])
            assert await read_answer(client) == b""
        assert not server.server_state.connections


@pytest.mark.parametrize(
    ("path", "first", "last"),
    [
        pytest.param(
            b"/upload", b"HTTP/1.1 503 Service Unavailable", b'"code":"service.not_ready"', id="refused"
        ),
        pytest.param(
            b"/begun", b"HTTP/1.1 200 OK", b"\r\n\r\n3\r\nhel\r\n", id="cut without the mark of the end"
        ),
    ],
)
async def test_a_request_that_takes_too_long_ends_without_a_fault(
    path: bytes, first: bytes, last: bytes, caplog: pytest.LogCaptureFixture
) -> None:
    async with started(app, grace_seconds=0) as (server, listener):
        with socket.create_connection(listener.getsockname()) as client:
            client.sendall(b"POST " + path + b" HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc")
            await server.shutdown([listener])
            answer = await read_answer(client)
    assert answer.startswith(first)
    assert last in answer[-len(last) - 200 :]
    assert answer.endswith((b"}", last))
    assert not [record for record in caplog.records if record.exc_info]


async def test_nothing_is_begun_behind_a_request_that_takes_too_long() -> None:
    async with started(app, grace_seconds=0) as (server, listener):
        with socket.create_connection(listener.getsockname()) as client:
            client.sendall(b"POST /upload HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc")
            await server.shutdown([listener])
            assert (await read_answer(client)).startswith(b"HTTP/1.1 503 ")
            client.sendall(b"defghi" + REQUEST)
        async with asyncio.timeout(10):
            await server._wait_tasks_to_complete()  # and for connections, which end once all of it is read
    assert server.server_state.total_requests == 0


async def test_a_cancellation_that_the_server_has_not_sent_is_a_fault(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with started(app) as (server, listener):
        with socket.create_connection(listener.getsockname()) as client:
            client.sendall(REQUEST.replace(b"/", b"/fault", 1))
            answer = await read_answer(client)
            await server.shutdown([listener])
    assert answer.startswith(b"HTTP/1.1 500 ")
    assert [record for record in caplog.records if record.exc_info]


async def test_who_connects_while_the_server_stops_is_answered_or_turned_away() -> None:
    """None is accepted by the kernel and reset: a client could not know whether its request took effect."""
    async with started(app) as (server, listener):
        address = listener.getsockname()
        with socket.create_connection(address):  # idle: the server waits for its request
            callers = [asyncio.create_task(asyncio.to_thread(ask_until_refused, address)) for _ in range(4)]
            await asyncio.sleep(0.01)
            await server.shutdown([listener])
            found = await asyncio.gather(*callers)
    assert {one for some in found for one in some} == {"answered", "refused"}


async def test_a_listener_turns_away_whom_it_has_not_met() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.create_connection(listener.getsockname()):
        turn_away(listener)
        turn_away(listener)
        with pytest.raises(TimeoutError):
            socket.create_connection(listener.getsockname(), timeout=0.1)
        met, _ = listener.accept()
        met.close()


def ask_until_refused(address: tuple[str, int]) -> list[str]:
    """Ask again and again, over a connection each, until there is no listener."""
    found = []
    while not found or found[-1] == "answered":
        found.append(ask(address))
    return found


def ask(address: tuple[str, int]) -> str:
    try:
        connection = socket.create_connection(address, timeout=5)
    except ConnectionRefusedError:
        return "refused"
    with connection:
        connection.sendall(REQUEST.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
        try:
            return (
                "answered"
                if b"".join(iter(lambda: connection.recv(65536), b"")).endswith(b"hello")
                else "closed"
            )
        except ConnectionError:
            return "reset"
