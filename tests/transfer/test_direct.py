"""What a direct import reads ahead, and what it leaves to others meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pymongo
import pytest
from pymongo import network_layer

from runtime.errors import CsvProblem, StoreUnavailable
from runtime.transfer.csv.columns import parse_requested_columns
from runtime.transfer.direct import _Import, _read_ahead
from runtime.transfer.importing.analyze import Analysis
from runtime.transfer.importing.existing import find_named
from runtime.transfer.rows.reading import Reading
from runtime.transfer.rows.rows import InputRow, Insert, Outcome, Update
from tests.transfer.stock import BIN, Stock

DRIVER = Path(pymongo.__file__).parent


class Source:
    """Numbers as batches, of which one may be bad."""

    def __init__(self, count: int, bad: int | None = None) -> None:
        self.count = count
        self.bad = bad
        self.begun = 0
        self.is_closed = False

    async def batches(self) -> AsyncIterator[int]:
        try:
            for number in range(self.count):
                self.begun += 1
                await asyncio.sleep(0)
                if number == self.bad:
                    raise CsvProblem("the quote is never closed", row=number)
                yield number
        finally:
            self.is_closed = True


def run(work: Callable[[], Awaitable[Any]]) -> Any:
    async def whole() -> Any:
        found = await work()
        left = asyncio.all_tasks() - {asyncio.current_task()}
        assert not left, "nothing is left running"
        return found

    return asyncio.run(whole())


@pytest.mark.parametrize("count", [0, 1, 2, 7])
def test_batches_come_in_their_order_one_ahead(count: int) -> None:
    source = Source(count)

    async def taken() -> list[tuple[int, int]]:
        return [(number, source.begun) async for number in _read_ahead(source.batches())]

    found = run(taken)
    assert [number for number, _begun in found] == list(range(count))
    assert all(begun == min(number + 2, count) for number, begun in found), "one, and no more"
    assert source.is_closed


def test_what_is_wrong_with_a_batch_is_told_behind_those_before() -> None:
    source = Source(5, bad=2)
    seen = []

    async def taken() -> None:
        async for number in _read_ahead(source.batches()):
            seen.append(number)

    with pytest.raises(CsvProblem, match="never closed"):
        run(taken)
    assert (seen, source.is_closed) == ([0, 1], True)


def test_who_leaves_leaves_nothing_running() -> None:
    source = Source(5)

    async def first() -> int:
        ahead = _read_ahead(source.batches())
        number = await anext(ahead)
        await ahead.aclose()
        return number

    assert run(first) == 0
    assert source.begun <= 2


def is_of_driver(task: asyncio.Task[Any]) -> bool:
    """Whether the driver has begun it: those that read an answer, or look out for a cancelled read, end later."""
    return any(DRIVER in Path(frame.f_code.co_filename).parents for frame in task.get_stack())


def test_tasks_of_the_driver_are_recognized_by_their_code() -> None:
    async def poll() -> None:
        await asyncio.Event().wait()

    async def look() -> None:
        connection: Any = SimpleNamespace(cancel_context=SimpleNamespace(cancelled=False))
        tasks = [asyncio.create_task(one) for one in (network_layer._poll_cancellation(connection), poll())]
        for _step in ("not begun", "waiting"):
            assert [is_of_driver(task) for task in tasks] == [True, False]
            await asyncio.sleep(0)
        for task in tasks:
            task.cancel()
        assert [is_of_driver(task) for task in tasks] == [True, False], "being cancelled"
        await asyncio.wait(tasks)

    run(look)


@pytest.mark.parametrize("is_bad", [False, True], ids=["the next never comes", "the next is bad"])
def test_a_fault_ends_the_reading_and_is_the_one_that_is_told(
    bins: Stock, monkeypatch: pytest.MonkeyPatch, is_bad: bool
) -> None:
    async def batches() -> AsyncIterator[tuple[list[InputRow], None]]:
        yield [], None
        if is_bad:
            raise CsvProblem("the quote is never closed", row=1)
        await asyncio.Event().wait()

    async def faulty(*_given: object) -> list[Outcome]:
        raise StoreUnavailable("gone")

    async def work() -> set[asyncio.Task[Any]]:
        before = asyncio.all_tasks()
        with pytest.raises(StoreUnavailable, match="gone"):
            await _Import(call, BIN, Reading(columns, guard=True)).run(batches())
        return {one for one in asyncio.all_tasks() - before if not is_of_driver(one)}

    call = bins.call()
    columns = parse_requested_columns("refName,title", BIN)
    monkeypatch.setattr(Analysis, "decide", faulty)
    assert not bins.run(work), "nothing reads on"


@pytest.mark.parametrize("is_there", [False, True], ids=["new rows", "changed rows"])
def test_others_have_their_turn_while_rows_are_decided(bins: Stock, is_there: bool) -> None:
    """A worker serves all who ask: a batch is no single piece of work."""
    rows = [InputRow(at, {}, {"refName": f"b-{at}", "title": "New"}) for at in range(400)]
    if is_there:
        bins.plant(*({"refName": f"b-{at}", "title": "Old"} for at in range(400)))
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async def work() -> list[Outcome]:
        stored = await find_named(call, BIN, "refName", [row.ref_name for row in rows])
        task = asyncio.create_task(others())
        try:
            return await Analysis(call, BIN).decide(rows, stored)
        finally:
            task.cancel()

    call = bins.call()
    assert [type(found) for found in bins.run(work)] == [Update if is_there else Insert] * len(rows)
    assert turns >= 400 // 50
