"""A command is cancelled at each place where it waits, once and twice: nobody gets an answer of another."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator
from contextlib import suppress
from typing import Any

import pytest
from bson import ObjectId

from .conftest import Open, Ways

pytestmark = pytest.mark.anyio

Act = Callable[[Ways, list[Any]], Awaitable[Any]]


class Cancelled(Awaitable[Any]):
    """Runs a coroutine that is cancelled when it waits for the ``at``-th time, and ``again`` so much later."""

    def __init__(self, work: Awaitable[Any], at: int, again: int) -> None:
        self.work, self.places, self.seen = work, {at, at + again}, 0

    def __await__(self) -> Generator[Any, Any, Any]:
        steps, is_cancelled = self.work.__await__(), False
        while True:
            try:
                waited = steps.throw(asyncio.CancelledError()) if is_cancelled else steps.send(None)
            except StopIteration as end:
                return end.value
            is_cancelled = self.seen in self.places
            self.seen += 1
            if not is_cancelled:
                yield waited


async def _insert_together(ways: Ways, _ids: list[Any]) -> None:
    together = ObjectId()
    inserted = [{"_id": ObjectId(), "together": together} for _number in (1, 2)]

    async def work(session: Any) -> None:
        await session.commit_with([ways.fast.prepare_insert([one], session) for one in inserted])

    async with ways.session() as session:
        await session.with_transaction(work)


ACTS: dict[str, Act] = {
    "find one": lambda ways, ids: ways.fast.find_one({"_id": ids[3]}),
    "several answers": lambda ways, ids: ways.fast.find({}, batch_size=3).to_list(),
    "the first of several": lambda ways, ids: ways.fast.find({}, batch_size=3).read_first(),
    "update": lambda ways, ids: ways.fast.update_one({"_id": ids[0]}, {"$set": {"changed": True}}),
    "a transaction": lambda ways, ids: ways.change_two(ids),
    "inserts with their commit": _insert_together,
}


@pytest.mark.parametrize("again", [0, 1, 2])
@pytest.mark.parametrize("act", ACTS.values(), ids=ACTS)
async def test_the_next_command_gets_its_own_answer(opened: Open, act: Act, again: int) -> None:
    async with opened(maxPoolSize=1) as ways:
        ids = await ways.fill()
        at, waits = 0, 1
        while at < waits:
            cancelled = Cancelled(act(ways, ids), at, again)
            with suppress(asyncio.CancelledError):
                await cancelled
            for number in (5, 6):
                found = await ways.fast.find_one({"_id": ids[number]})
                assert found is not None
                assert found["n"] == number
            await ways.rest()
            at, waits = at + 1, max(waits, cancelled.seen)
        assert at > 1
        both = [(await ways.driver.find_one({"_id": one}) or {}).get("both", 0) for one in ids[:2]]
        assert both[0] == both[1]
        together = [one["together"] async for one in ways.driver.find({"together": {"$exists": True}})]
        assert all(together.count(one) == 2 for one in together)


async def test_requests_that_go_away_under_load_leave_the_others_theirs(opened: Open) -> None:
    """Half of those who share three connections are cancelled at some moment."""

    async def read(ways: Ways, ids: list[Any], number: int) -> int:
        found = await ways.fast.find_one({"_id": ids[number]})
        assert found is not None
        assert found["n"] == number
        return number

    async with opened(maxPoolSize=3) as ways:
        ids = await ways.fill(40)
        for turn in range(15):
            tasks = [asyncio.create_task(read(ways, ids, number)) for number in range(40)]
            for _pass in range(turn):
                await asyncio.sleep(0)
            for task in tasks[turn % 2 :: 2]:
                task.cancel()
            found = await asyncio.gather(*tasks, return_exceptions=True)
            stayed = [answer for at, answer in enumerate(found) if at % 2 != turn % 2]
            assert stayed == [at for at in range(40) if at % 2 != turn % 2]
            await ways.rest()
