"""A burst of callers takes a few steps per turn of the event loop, on every loop that the server runs on."""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import Callable
from typing import Any

import pytest

from runtime.cli import accepting
from runtime.cli.accepting import PER_TURN, Acceptor, TurnPace
from tests.cli.started import started

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.parametrize(
        "anyio_backend",
        [("asyncio", {"use_uvloop": False}), ("asyncio", {"use_uvloop": True})],
        ids=["asyncio", "uvloop"],
    ),
]

CALLERS = 40


class Application:
    """Says hello. ``asked``: the paths, in the order in which their requests were started."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.asked.append(scope["path"])
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]})
        await send({"type": "http.response.body", "body": b"hello"})


def connect(listener: socket.socket, number: int = CALLERS) -> list[socket.socket]:
    """So many callers, while the event loop stands still."""
    return [socket.create_connection(listener.getsockname(), timeout=5) for _ in range(number)]


def ask(callers: list[socket.socket], path: str = "/") -> None:
    for caller in callers:
        caller.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())


def read_answers(callers: list[socket.socket]) -> set[bytes]:
    """The last five bytes of each answer."""
    answers = {caller.recv(65536)[-5:] for caller in callers}
    for caller in callers:
        caller.close()
    return answers


async def count_steps(number: Callable[[], int], most: int) -> list[int]:
    """By how much a number grows in each turn, until it has grown to so many."""
    steps, before = [], number()
    for _turn in range(100_000):
        if before >= most:
            break
        await asyncio.sleep(0)
        now = number()
        steps.append(now - before)
        before = now
    assert before == most
    return steps


async def test_a_burst_of_connections_is_accepted_a_few_per_turn() -> None:
    async with started(Application()) as (server, listener):
        callers = connect(listener)
        steps = await count_steps(lambda: len(server.server_state.connections), CALLERS)
        assert 1 <= max(steps) <= PER_TURN
        for caller in callers:
            caller.close()
        await server.shutdown([listener])


async def test_a_burst_of_first_requests_is_started_a_few_per_turn() -> None:
    application = Application()
    async with started(application) as (server, listener):
        callers = connect(listener)
        await count_steps(lambda: len(server.server_state.connections), CALLERS)
        ask(callers)
        steps = await count_steps(lambda: len(application.asked), CALLERS)
        assert 1 <= max(steps) <= PER_TURN
        await server.shutdown([listener])
        assert read_answers(callers) == {b"hello"}


async def test_known_caller_does_not_wait_behind_a_burst_of_new_ones() -> None:
    application = Application()
    async with started(application) as (server, listener):
        known = connect(listener, 1)
        ask(known, "/first")
        await count_steps(lambda: len(application.asked), 1)
        await asyncio.sleep(0.05)  # it is answered
        assert known[0].recv(65536).endswith(b"hello")
        new = connect(listener, CALLERS - 1)
        await count_steps(lambda: len(server.server_state.connections), CALLERS)
        ask(new, "/new")
        ask(known, "/again")
        await count_steps(lambda: len(application.asked), CALLERS + 1)
        assert application.asked.index("/again") <= 1 + 2 * PER_TURN
        await server.shutdown([listener])
        assert read_answers([*known, *new]) == {b"hello"}


async def test_requests_that_wait_for_their_turn_are_answered_by_a_server_that_stops() -> None:
    application = Application()
    async with started(application) as (server, listener):
        callers = connect(listener)
        await count_steps(lambda: len(server.server_state.connections), CALLERS)
        ask(callers)
        await count_steps(lambda: bool(application.asked), 1)
        assert len(application.asked) < CALLERS
        await server.shutdown([listener])
        assert read_answers(callers) == {b"hello"}
        assert len(application.asked) == CALLERS


async def test_first_request_that_goes_on_while_it_waits_is_complete() -> None:
    application = Application()
    async with started(application) as (server, listener):
        callers = connect(listener)
        await count_steps(lambda: len(server.server_state.connections), CALLERS)
        for part in (b"GET /half", b" HTTP/1.1\r\nHo", b"st: x\r\n\r\n"):
            for caller in callers:
                caller.sendall(part)
            await asyncio.sleep(0)
        await count_steps(lambda: len(application.asked), CALLERS)
        assert set(application.asked) == {"/half"}
        await server.shutdown([listener])
        assert read_answers(callers) == {b"hello"}


async def test_callers_that_hang_up_while_they_wait_are_forgotten() -> None:
    application = Application()
    async with started(application) as (server, listener):
        callers = connect(listener)
        await count_steps(lambda: len(server.server_state.connections), CALLERS)
        ask(callers)
        for caller in callers:
            caller.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
            caller.close()  # resets the connection
        await count_steps(lambda: -len(server.server_state.connections), 0)
        await server.shutdown([listener])
        assert len(application.asked) < CALLERS


class Standing(TurnPace):
    """The pace of a server that stands still: what is to run waits in ``waiting``."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting: list[Callable[[], None]] = []

    def run(self, action: Callable[[], None]) -> None:
        self.waiting.append(action)


async def test_time_of_callers_that_wait_for_their_turn_does_not_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pace = Standing()
    async with started(Application()) as (server, listener):
        monkeypatch.setattr(server, "_pace", pace)
        callers = connect(listener, 2)
        ask(callers[:1])
        callers[1].sendall(b"\r\n")  # a request may follow a blank line, but none does
        await count_steps(lambda: len(pace.waiting), 2)
        connections: Any = server.server_state.connections
        assert [one.timer for one in connections] == [None, None]
        for begin in pace.waiting:
            begin()
        assert sum(one.timer is None for one in connections) == 1  # of the request that is answered
        await server.shutdown([listener])
        assert callers[0].recv(65536).endswith(b"hello")
        for caller in callers:
            caller.close()


class Full(socket.socket):
    """A listener of a process that is out of descriptors for once."""

    is_full = True

    def accept(self) -> tuple[socket.socket, Any]:
        if self.is_full:
            self.is_full = False
            raise OSError(errno.EMFILE, "Too many open files")
        return super().accept()


async def test_out_of_descriptors_it_accepts_again_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(accepting, "_REST_SECONDS", 0.01)
    accepted: asyncio.Queue[asyncio.Protocol] = asyncio.Queue()

    def protocol() -> asyncio.Protocol:
        made = asyncio.Protocol()
        accepted.put_nowait(made)
        return made

    with Full(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        acceptor = Acceptor(listener, protocol)
        acceptor.start()
        with socket.create_connection(listener.getsockname()):
            await asyncio.wait_for(accepted.get(), 5)
            acceptor.stop()
    assert not listener.is_full


async def test_out_of_descriptors_it_does_not_begin_again_once_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(accepting, "_REST_SECONDS", 0.0)
    faults: list[Any] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, fault: faults.append(fault))
    with Full(socket.AF_INET, socket.SOCK_STREAM) as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        acceptor = Acceptor(listener, asyncio.Protocol)
        acceptor.start()
        acceptor.stop()
        await acceptor.close(1)
        for _ in range(5):
            await asyncio.sleep(0.001)
    assert not listener.is_full
    assert faults == []


async def test_pace_keeps_the_order() -> None:
    pace, done = TurnPace(), list[int]()
    for number in range(3 * PER_TURN):
        pace.run(lambda number=number: done.append(number))
    assert done == list(range(PER_TURN))
    steps = await count_steps(lambda: len(done), 3 * PER_TURN)
    assert max(steps) == PER_TURN
    assert done == list(range(3 * PER_TURN))


async def test_lifted_pace_runs_all_at_once() -> None:
    pace, done = TurnPace(), list[int]()
    for number in range(2 * PER_TURN):
        pace.run(lambda number=number: done.append(number))
    pace.lift()
    for number in range(2 * PER_TURN, 4 * PER_TURN):
        pace.run(lambda number=number: done.append(number))
    assert done == list(range(4 * PER_TURN))
