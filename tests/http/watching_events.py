"""Watchers of the service of a world: streams that are read while they are open.

A stream is a task of the application's own loop, so that hundreds cost no threads; what it was sent is read from
outside.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.http import one_call
from tests.http.world import World
from tests.patience import wait_until

PATIENCE = 20.0
"""Seconds a test waits for an event, on a busy machine."""


@dataclass
class Event:
    """One event, as a client dispatches it; ``last_id`` is what it sends when it connects again."""

    data: str
    last_id: str | None


@dataclass
class Stream:
    """What one watcher was sent. ``is_open`` until the application has ended it."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    is_open: bool = True
    hang_up: Callable[[], None] = lambda: None
    pause: Callable[[], None] = lambda: None
    resume: Callable[[], None] = lambda: None

    @property
    def blocks(self) -> list[str]:
        return self.body.decode().split("\n\n")[:-1]

    @property
    def last_id(self) -> str | None:
        """What the client sends as Last-Event-ID when it connects again."""
        ids = [line[4:] for line in self.body.decode().split("\n") if line.startswith("id: ")]
        return ids[-1] if ids else None

    @property
    def events(self) -> list[Event]:
        found: list[Event] = []
        last_id = None
        for block in self.blocks:
            data = None
            for line in block.split("\n"):
                name, _, value = line.partition(": ")
                if name == "id":
                    last_id = value
                if name == "data":
                    data = value
            if data is not None:
                found.append(Event(data, last_id))
        return found

    @property
    def data(self) -> list[str]:
        return [event.data for event in self.events]

    def expect(self, *data: str) -> None:
        """Wait until these are the events, no more and no less."""
        wait_until(lambda: len(self.data) >= len(data) or not self.is_open)
        assert self.data == list(data)

    def expect_end(self, seconds: float = PATIENCE) -> None:
        wait_until(lambda: not self.is_open, seconds)


@contextmanager
def watch(
    world: World, path: str, caller: str | None = "acme", after: str | None = None, **options: Any
) -> Iterator[Stream]:
    """Open a stream and wait for its first bytes; hang up at the end, and see that it ends."""
    stream = Stream()
    headers = (
        world.headers(caller)
        | ({} if after is None else {"Last-Event-ID": after})
        | options.pop("headers", {})
    )
    request = world.client.build_request("GET", path, headers=headers, **options)
    portal = world.client.portal
    assert portal is not None
    future = portal.start_task_soon(
        _run, world, one_call.build_scope(world.client, request, world.peer), stream
    )
    try:
        wait_until(lambda: bool(stream.body) or future.done())
        yield stream
    finally:
        portal.call(stream.hang_up)
        future.result(PATIENCE)
        assert not stream.is_open


async def _run(world: World, scope: Any, stream: Stream) -> None:
    gone, may_send, is_asked = asyncio.Event(), asyncio.Event(), False
    may_send.set()
    stream.hang_up = lambda: (gone.set(), may_send.set())  # type: ignore[func-returns-value, assignment]
    stream.pause, stream.resume = may_send.clear, may_send.set

    async def receive() -> Any:
        nonlocal is_asked
        if not is_asked:
            is_asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await gone.wait()
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        await may_send.wait()
        if message["type"] == "http.response.start":
            stream.status = message["status"]
            stream.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            stream.body += message.get("body", b"")

    try:
        await world.client.app(scope, receive, send)
    finally:
        stream.is_open = False
