"""What a process remembers for some seconds: how long, how much, and not what it was told to forget."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from typing import Any

import pytest

from runtime.identity.memory import Freshness, ShortMemory

pytestmark = pytest.mark.anyio


class Source:
    """Says a value, and counts how often it was asked."""

    def __init__(self, value: str | None = "a") -> None:
        self.value = value
        self.asked = 0

    async def __call__(self) -> str | None:
        self.asked += 1
        return self.value


def memory(
    clock: Any, seconds: float = 10, most: int = 2, silence: Callable[[], float] = lambda: 0.0
) -> ShortMemory[str, str]:
    return ShortMemory(Freshness(seconds, clock, silence), most)


@pytest.mark.parametrize(("seconds", "later", "asked"), [(10, 9.9, 1), (10, 10, 2), (10, -1, 2), (0, 0, 2)])
async def test_a_value_is_believed_for_some_seconds(
    clock: Any, seconds: float, later: float, asked: int
) -> None:
    kept, source = memory(clock, seconds), Source()
    assert await kept.get("k", source) == "a"
    clock.advance(later)
    assert await kept.get("k", source) == "a"
    assert source.asked == asked


@pytest.mark.parametrize(
    ("silent", "later", "asked"),
    [(0.9, 9, 1), (1, 0.9, 1), (1, 1, 2), (math.inf, 0.9, 1), (math.inf, 1, 2)],
)
async def test_nothing_is_believed_for_longer_than_a_second_while_the_stream_is_silent(
    clock: Any, silent: float, later: float, asked: int
) -> None:
    kept, source = memory(clock, silence=lambda: silent), Source()
    await kept.get("k", source)
    clock.advance(later)
    await kept.get("k", source)
    assert source.asked == asked


async def test_using_a_value_does_not_make_it_last(clock: Any) -> None:
    kept, source = memory(clock), Source()
    for _each in range(3):
        await kept.get("k", source)
        clock.advance(5)
    assert source.asked == 2


async def test_nothing_found_is_asked_for_again_and_ends_what_was_known(clock: Any) -> None:
    kept, source = memory(clock), Source(None)
    assert [await kept.get("k", source), await kept.get("k", source)] == [None, None]
    assert source.asked == 2
    source.value = "a"
    assert await kept.get("k", source) == "a"
    source.value = None
    clock.advance(10)
    assert await kept.get("k", source) is None


async def test_the_one_not_used_for_longest_goes_first(clock: Any) -> None:
    kept, source = memory(clock), Source()
    for key in ("one", "two", "one", "three", "one"):
        await kept.get(key, source)
    assert source.asked == 3
    await kept.get("two", source)
    assert source.asked == 4


async def test_forgetting_asks_again(clock: Any) -> None:
    kept, source = memory(clock), Source()
    await kept.get("k", source)
    kept.forget()
    source.value = "b"
    assert await kept.get("k", source) == "b"


async def test_what_is_read_while_it_changes_is_not_kept(clock: Any) -> None:
    kept, begun, told = memory(clock), asyncio.Event(), asyncio.Event()

    async def slow() -> str:
        begun.set()
        await told.wait()
        return "old"

    reading = asyncio.create_task(kept.get("k", slow))
    await begun.wait()
    kept.forget()
    told.set()
    assert await reading == "old"
    assert await kept.get("k", Source("new")) == "new"
