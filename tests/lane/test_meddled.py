"""A server, or what is before it, that answers late, half, twice or somebody else: no wrong answer to anybody."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from typing import Any

import pytest
from bson import ObjectId
from pymongo import MongoClient, timeout
from pymongo.errors import NetworkTimeout, ProtocolError, PyMongoError, WaitQueueTimeoutError

from .conftest import Document, Open, Ways
from .proxy import Meddle, Proxy, flagged, half, late, proxied, renumbered, twice

pytestmark = pytest.mark.anyio

SECONDS = 0.3
SILENT: dict[str, Meddle] = {"late": late(0.9), "half and silent": half(then_closed=False)}
BROKEN: dict[str, Meddle] = {
    "the answer to another": renumbered(1),
    "with a checksum": flagged(1),
    "with more to come": flagged(2),
    "with flags that are not known": flagged(1 << 8),
}


@pytest.fixture
def before(mongo_uri: str, opened: Open) -> Callable[..., Any]:
    """``async with before() as (proxy, ways, ids)``; the one connection is idle."""

    @asynccontextmanager
    async def ways(**options: Any) -> AsyncIterator[tuple[Proxy, Ways, list[ObjectId]]]:
        async with (
            proxied(mongo_uri) as proxy,
            opened(proxy.uri, **{"maxPoolSize": 1, "timeoutMS": int(SECONDS * 1000)} | options) as found,
        ):
            yield proxy, found, await found.fill()

    return ways


def marked(ids: list[ObjectId], number: int) -> Document:
    return {"_id": ids[number], "meddled": None}


async def own_answers(ways: Ways, ids: list[ObjectId]) -> None:
    for number in range(4):
        found = await ways.fast.find_one({"_id": ids[number]})
        assert found == {"_id": ids[number], "n": number}
    await ways.rest()


@pytest.mark.parametrize("meddle", SILENT.values(), ids=SILENT)
async def test_what_comes_too_late_is_a_time_out_and_nobodys_answer(
    before: Callable[..., Any], meddle: Meddle
) -> None:
    async with before() as (proxy, ways, ids):
        proxy.do(meddle, times=9)
        began = time.monotonic()
        with pytest.raises(NetworkTimeout) as raised:
            await ways.fast.find_one(marked(ids, 9))
        assert SECONDS <= time.monotonic() - began < SECONDS + 0.4
        assert raised.value.timeout
        await own_answers(ways, ids)
        await asyncio.sleep(0.8)
        await own_answers(ways, ids)


@pytest.mark.parametrize("meddle", BROKEN.values(), ids=BROKEN)
async def test_an_answer_that_is_not_to_this_request_closes_the_connection(
    before: Callable[..., Any], meddle: Meddle
) -> None:
    async with before() as (proxy, ways, ids):
        connections = proxy.connections
        proxy.do(meddle)
        with pytest.raises(PyMongoError):
            await ways.fast.find_one(marked(ids, 9))
        await own_answers(ways, ids)
        assert proxy.connections > connections


async def test_a_second_answer_is_not_the_next_ones(before: Callable[..., Any]) -> None:
    async with before() as (proxy, ways, ids):
        proxy.do(twice)
        assert await ways.fast.find_one(marked(ids, 9)) == {"_id": ids[9], "n": 9}
        await asyncio.sleep(0.1)
        with pytest.raises(PyMongoError):
            await ways.fast.find_one({"_id": ids[1]})
        await own_answers(ways, ids)


async def test_reads_and_writes_are_sent_again_after_half_an_answer(
    before: Callable[..., Any], mongo_client: MongoClient[Document], realm: str
) -> None:
    async with before(timeoutMS=5000) as (proxy, ways, ids):
        proxy.do(half(then_closed=True))
        assert await ways.fast.find_one(marked(ids, 9)) == {"_id": ids[9], "n": 9}
        proxy.do(half(then_closed=True))
        await ways.fast.insert_one({"_id": 1, "meddled": True})
        proxy.do(half(then_closed=True))
        result = await ways.fast.update_one({"_id": 1, "meddled": True}, {"$inc": {"times": 1}})
        assert (result.matched_count, result.modified_count) == (1, 1)
        proxy.do(half(then_closed=True))
        changed = await ways.fast.find_one_and_update({"_id": 1, "meddled": True}, {"$inc": {"times": 1}})
        assert changed == {"_id": 1, "meddled": True, "times": 1}
        assert mongo_client[realm]["items"].find_one({"_id": 1}) == {"_id": 1, "meddled": True, "times": 2}


async def test_a_write_of_many_is_not_sent_twice(
    before: Callable[..., Any], mongo_client: MongoClient[Document], realm: str
) -> None:
    async with before(timeoutMS=5000) as (proxy, ways, _ids):
        proxy.do(half(then_closed=True))
        with pytest.raises(PyMongoError):
            await ways.fast.update_many({"meddled": None}, {"$inc": {"times": 1}})
        assert {one.get("times") for one in mongo_client[realm]["items"].find()} == {1}


async def test_a_transaction_whose_connection_breaks_runs_again_as_a_whole(
    before: Callable[..., Any], mongo_client: MongoClient[Document], realm: str
) -> None:
    async with before(timeoutMS=5000) as (proxy, ways, ids):
        runs = []

        async def work(session: Any) -> None:
            runs.append(1)
            await ways.fast.update_one({"_id": ids[0]}, {"$inc": {"times": 1}}, session=session)
            if len(runs) == 1:
                proxy.do(half(then_closed=True))
            await ways.fast.update_one(marked(ids, 1), {"$inc": {"times": 1}}, session=session)

        async with ways.session() as session:
            await session.with_transaction(work)
        assert len(runs) == 2
        stored = mongo_client[realm]["items"].find({"times": 1})
        assert sorted(one["n"] for one in stored) == [0, 1]


@pytest.mark.parametrize(
    ("meddle", "outcome"),
    [
        pytest.param(half(then_closed=True), nullcontext(), id="half"),
        pytest.param(late(0.3), nullcontext(), id="late"),
        pytest.param(renumbered(1), pytest.raises(ProtocolError), id="of another"),
    ],
)
async def test_a_commit_without_an_answer_is_sent_again_and_takes_effect_once(
    before: Callable[..., Any], mongo_client: MongoClient[Document], realm: str, meddle: Meddle,
    outcome: AbstractContextManager[Any],
) -> None:  # fmt: skip
    async with before(timeoutMS=5000) as (proxy, ways, ids):
        runs = []

        async def work(session: Any) -> None:
            runs.append(1)
            await ways.fast.update_one({"_id": ids[0]}, {"$inc": {"times": 1}}, session=session)
            await ways.fast.insert_one({"_id": f"new {len(runs)}"}, session=session)
            proxy.do(meddle, mark=b"commitTransaction")

        with outcome:
            async with ways.session() as session:
                await session.with_transaction(work)
        assert len(runs) == 1
        await ways.rest()
        stored = mongo_client[realm]["items"]
        assert stored.find_one({"_id": ids[0]}) == {"_id": ids[0], "n": 0, "times": 1}
        assert stored.count_documents({"_id": {"$in": ["new 1", "new 2"]}}) == 1


async def test_an_undone_transaction_is_undone_though_nobody_answers(
    before: Callable[..., Any], mongo_client: MongoClient[Document], realm: str
) -> None:
    async with before(timeoutMS=5000) as (proxy, ways, ids):

        async def work(session: Any) -> None:
            await ways.fast.update_one({"_id": ids[0]}, {"$inc": {"times": 1}}, session=session)
            proxy.do(half(then_closed=True), mark=b"abortTransaction")
            raise LookupError

        with pytest.raises(LookupError):
            async with ways.session() as session:
                await session.with_transaction(work)
        await own_answers(ways, ids)
        assert mongo_client[realm]["items"].count_documents({"times": 1}) == 0


async def test_a_server_that_is_given_up_is_waited_for_no_longer(before: Callable[..., Any]) -> None:
    """As the driver does when its monitor hears nothing any more."""
    async with before(timeoutMS=5000, heartbeatFrequencyMS=500) as (proxy, ways, ids):
        proxy.do(late(4))
        began = time.monotonic()
        waiting = asyncio.create_task(ways.fast.find_one(marked(ids, 9)))
        await asyncio.sleep(0.1)
        await ways.pool.reset(interrupt_connections=True)
        assert await waiting == {"_id": ids[9], "n": 9}
        assert time.monotonic() - began < 3
        await own_answers(ways, ids)


async def test_who_waits_for_a_connection_waits_no_longer_than_its_deadline(
    before: Callable[..., Any],
) -> None:
    async with before(timeoutMS=2000) as (proxy, ways, ids):
        proxy.do(late(1.0))
        slow = asyncio.create_task(ways.fast.find_one(marked(ids, 9)))
        await asyncio.sleep(0.05)

        async def hurried(number: int) -> Any:
            with timeout(0.2):
                return await ways.fast.find_one({"_id": ids[number]})

        began = time.monotonic()
        refused = await asyncio.gather(*(hurried(at) for at in range(5)), return_exceptions=True)
        assert time.monotonic() - began < 0.8
        assert [type(one) for one in refused] == [WaitQueueTimeoutError] * 5
        found = await asyncio.gather(*(ways.fast.find_one({"_id": ids[at]}) for at in range(5)))
        assert [one["n"] for one in found] == [0, 1, 2, 3, 4]
        assert (await slow) == {"_id": ids[9], "n": 9}
        await ways.rest()
