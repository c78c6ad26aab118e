"""The server of the SDK opens with the first message, and again after a failure."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, cast

import pytest

from runtime.errors import NotOffered
from runtime.mcp import late
from runtime.mcp.door import McpDoor
from runtime.mcp.late import LateServer

pytestmark = pytest.mark.anyio


class Opener:
    """Opens a server as often as it is asked; ``fail`` ends the one that is open, as a fault of the SDK does."""

    def __init__(self, *, failures: int = 0) -> None:
        self.opened = self.closed = 0
        self.answered = 0
        self._failures = failures
        self._broken = asyncio.Event()

    def fail(self) -> None:
        self._broken.set()

    def load(self) -> Callable[[str, Any], AbstractAsyncContextManager[Any]]:
        return self.open_server

    @asynccontextmanager
    async def open_server(self, _title: str, _settings: Any) -> AsyncIterator[Any]:
        self.opened += 1
        if self.opened <= self._failures:
            raise ImportError("not there yet")
        self._broken.clear()
        async with asyncio.TaskGroup() as group:
            failing = group.create_task(self._break())
            yield self._answer
            failing.cancel()
            self.closed += 1

    async def _break(self) -> None:
        await self._broken.wait()
        raise RuntimeError("a task of the server failed")

    async def _answer(self, *_message: Any) -> None:
        self.answered += 1


def late_server(monkeypatch: pytest.MonkeyPatch, opener: Opener) -> LateServer:
    settings: Any = None
    monkeypatch.setattr(late, "_import_server", opener.load)
    return LateServer("test", settings)


async def ask(server: LateServer) -> None:
    message: Any = None
    await server.answer(message, message, message)


async def test_first_messages_open_it_once_whoever_gives_up(monkeypatch: pytest.MonkeyPatch) -> None:
    opener = Opener()
    server = late_server(monkeypatch, opener)
    first, *others = [asyncio.create_task(ask(server)) for _time in range(3)]
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.gather(*others)
    assert (opener.opened, opener.answered) == (1, 2)
    await server.close()


async def test_after_a_failure_the_next_message_opens_it(monkeypatch: pytest.MonkeyPatch) -> None:
    opener = Opener(failures=1)
    server = late_server(monkeypatch, opener)
    with pytest.raises(ImportError):
        await ask(server)
    await ask(server)
    assert (opener.opened, opener.answered) == (2, 1)
    await server.close()


async def test_one_that_has_ended_is_opened_again(monkeypatch: pytest.MonkeyPatch) -> None:
    opener = Opener()
    server = late_server(monkeypatch, opener)
    await ask(server)
    opener.fail()
    assert server._task is not None
    await asyncio.wait([server._task])
    await ask(server)
    assert (opener.opened, opener.answered) == (2, 2)
    await server.close()


async def test_closing_does_not_raise_what_ended_it(monkeypatch: pytest.MonkeyPatch) -> None:
    opener = Opener()
    server = late_server(monkeypatch, opener)
    await ask(server)
    opener.fail()
    await server.close()


async def test_the_door_closes_it_when_the_service_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    opener, message, settings = Opener(), cast(Any, None), cast(Any, None)
    monkeypatch.setattr(late, "_import_server", opener.load)
    door = McpDoor("test", settings)
    async with door.run():
        await door.answer(message, message, message)
        assert (opener.answered, opener.closed) == (1, 0)
    assert opener.closed == 1
    with pytest.raises(NotOffered):
        await door.answer(message, message, message)
