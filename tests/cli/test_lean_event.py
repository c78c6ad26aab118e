"""The event of connections does what asyncio's does, and is small."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable

import pytest

from runtime.cli.lean_event import LeanEvent

Step = str


async def play(create: Callable[[], asyncio.Event], steps: list[Step]) -> list[object]:
    """Do some steps; after each say whether the event is set, and which tasks have ended and how."""
    event, tasks, seen = create(), list[asyncio.Task[bool]](), list[object]()
    for step in steps:
        match step:
            case "wait":
                tasks.append(asyncio.create_task(event.wait()))
            case "cancel first":
                tasks[0].cancel()
            case "set and clear":
                event.set()
                event.clear()
            case _:
                getattr(event, step)()
        for _turn in range(3):
            await asyncio.sleep(0)
        seen.append((event.is_set(), [(one.done(), one.done() and one.cancelled()) for one in tasks]))
    for one in tasks:
        one.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return seen


@pytest.mark.parametrize(
    "steps",
    [
        ["wait", "set"],
        ["set", "wait", "clear", "wait", "set"],
        ["wait", "wait", "set", "wait"],
        ["wait", "wait", "cancel first", "set", "clear", "wait", "set"],
        ["wait", "cancel first", "wait", "set and clear", "wait"],
        ["set and clear", "wait", "wait", "set and clear"],
    ],
)
def test_it_does_what_the_event_of_asyncio_does(steps: list[Step]) -> None:
    assert asyncio.run(play(LeanEvent, steps)) == asyncio.run(play(asyncio.Event, steps))


def test_while_nobody_waits_it_has_no_queue() -> None:
    event = LeanEvent()
    assert sys.getsizeof(event) < 150
    assert not vars(event)
