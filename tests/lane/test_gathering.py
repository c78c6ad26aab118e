"""Finds by id of one turn: one command, and each answer is what its own match admits."""

from __future__ import annotations

import asyncio
from typing import Any
from unittest.mock import patch

import pytest
from bson import ObjectId
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pymongo.errors import OperationFailure, PyMongoError, ServerSelectionTimeoutError

from runtime.storage.lane import Alone, LaneCollection, WatchedLane

from .conftest import Document, Open, Ways

pytestmark = pytest.mark.anyio

SHOWN = {"_id": 1, "n": 1}
TENANTS = ("acme", "globex")


class Watched:
    """A collection whose commands are counted."""

    def __init__(self, ways: Ways, *, is_traced: bool = False) -> None:
        self.sent: list[Any] = []
        lane = WatchedLane(
            ways.client, lambda body, _began, _error: self.sent.append(body), lambda: is_traced
        )
        self.items = LaneCollection(lane, ways.driver)

    async def ask(self, *asked: tuple[ObjectId, Document], shown: Document = SHOWN) -> list[Any]:
        """Return what each find of one turn came to, errors included."""
        self.sent.clear()
        finds = (self.items.find_by_id(match, shown, number) for number, match in asked)
        return await asyncio.gather(*finds, return_exceptions=True)


def own(number: ObjectId, tenant: str) -> tuple[ObjectId, Document]:
    return number, {"$and": [{"tenant": tenant}, {"_id": number}]}


async def store(ways: Ways) -> list[ObjectId]:
    """Store records that belong to two tenants in turn."""
    ids = await ways.fill(8)
    for at, number in enumerate(ids):
        await ways.driver.update_one({"_id": number}, {"$set": {"tenant": TENANTS[at % 2]}})
    return ids


async def test_finds_of_one_turn_are_one_command(opened: Open) -> None:
    async with opened() as ways:
        ids, watched = await store(ways), Watched(ways)
        found = await watched.ask(*(own(number, "acme") for number in ids))
        assert found == [{"_id": number, "n": at} if at % 2 == 0 else None for at, number in enumerate(ids)]
        (body,) = watched.sent
        assert body["filter"]["_id"] == {"$in": ids}
        assert body["filter"]["$or"] == [{"_id": number, "$and": [own(number, "acme")[1]]} for number in ids]


async def test_one_find_is_sent_as_it_always_was(opened: Open) -> None:
    async with opened() as ways:
        ids, watched = await store(ways), Watched(ways)
        assert await watched.ask(own(ids[0], "acme")) == [{"_id": ids[0], "n": 0}]
        (body,) = watched.sent
        assert (body["filter"], body["limit"]) == (own(ids[0], "acme")[1], 1)


@pytest.mark.parametrize("order", [TENANTS, TENANTS[::-1]])
async def test_nobody_is_shown_what_only_the_match_of_another_admits(
    opened: Open, order: tuple[str, str]
) -> None:
    async with opened() as ways:
        ids, watched = await store(ways), Watched(ways)
        found = await watched.ask(*(own(ids[0], tenant) for tenant in order), own(ids[1], "globex"))
        expected = [{"_id": ids[0], "n": 0} if tenant == "acme" else None for tenant in order]
        assert found == [*expected, {"_id": ids[1], "n": 1}]


@pytest.mark.parametrize(
    ("own", "other"),
    [
        ({"n": 1}, {"n": True}),
        ({"part": {"a": 1, "b": 2}}, {"part": {"b": 2, "a": 1}}),
        ({"n": {"$in": [1]}}, {"n": {"$in": [True]}}),
    ],
    ids=["boolean", "order", "list"],
)
async def test_matches_that_only_python_takes_for_equal_are_not_shared(
    opened: Open, own: Document, other: Document
) -> None:
    assert own == other
    async with opened() as ways:
        ids, watched = await store(ways), Watched(ways)
        await ways.driver.update_one({"_id": ids[1]}, {"$set": {"part": {"a": 1, "b": 2}}})
        for matches in ((own, other), (other, own)):
            found = await watched.ask(*((ids[1], one) for one in matches), (ids[2], {}))
            assert found[:2] == [{"_id": ids[1], "n": 1} if one is own else None for one in matches]


async def test_a_match_that_names_another_id_finds_nothing(opened: Open) -> None:
    async with opened() as ways:
        ids, watched = await store(ways), Watched(ways)
        found = await watched.ask((ids[0], {"_id": ids[2]}), (ids[1], {"n": 1}), own(ids[2], "acme"))
        assert found == [None, {"_id": ids[1], "n": 1}, {"_id": ids[2], "n": 2}]


@pytest.mark.parametrize("shown", [{"n": 1}, {"_id": 0, "n": 1}])
async def test_a_projection_without_ids_is_sent_alone(opened: Open, shown: Document) -> None:
    async with opened() as ways:
        ids, watched = await store(ways), Watched(ways)
        found = await watched.ask(own(ids[0], "acme"), own(ids[2], "acme"), shown=shown)
        assert [one["n"] for one in found] == [0, 2]
        assert len(watched.sent) == 2


async def test_finds_of_other_projections_do_not_meet(opened: Open) -> None:
    async with opened() as ways:
        ids, watched = await store(ways), Watched(ways)
        shown: list[Document] = [
            {"_id": 1, "n": 1},
            {"_id": 1, "tenant": 1},
            {"_id": 1, "n": {"$literal": 7}},
        ]
        found = await asyncio.gather(
            *(watched.items.find_by_id({}, one, number) for one in shown for number in ids[:2])
        )
        assert [set(one or {}) for one in found] == [{"_id", "n"}] * 2 + [{"_id", "tenant"}] * 2 + [
            {"_id", "n"}
        ] * 2
        assert [one["n"] for one in found[4:] if one] == [7, 7]


async def test_a_refused_find_fails_alone(opened: Open) -> None:
    async with opened() as ways:
        ids, watched = await store(ways), Watched(ways)
        bad = ids[1], {"_id": ids[1], "n": {"$bad": 1}}
        first, refused, last = await watched.ask(own(ids[0], "acme"), bad, own(ids[2], "acme"))
        assert (first, last) == ({"_id": ids[0], "n": 0}, {"_id": ids[2], "n": 2})
        assert isinstance(refused, OperationFailure)


async def test_each_has_an_error_of_its_own_when_the_store_is_gone() -> None:
    ways = Ways("mongodb://127.0.0.1:9/?replicaSet=none", "gone", serverSelectionTimeoutMS=50, timeoutMS=50)
    watched = Watched(ways)
    with patch.object(watched.items._lane, "may_gather", lambda: True):
        errors = await watched.ask(*((ObjectId(), {}) for _at in range(3)))
    assert [type(one) for one in errors] == [ServerSelectionTimeoutError] * 3
    assert len({id(one) for one in errors}) == 3
    await ways.client.close()


async def test_a_find_that_is_cancelled_leaves_the_others_alone(opened: Open) -> None:
    async with opened() as ways:
        ids, watched = await store(ways), Watched(ways)
        tasks = [
            asyncio.create_task(watched.items.find_by_id(own(one, "acme")[1], SHOWN, one)) for one in ids
        ]
        await asyncio.sleep(0)
        tasks[0].cancel()
        await asyncio.sleep(0)
        tasks[2].cancel()
        found = await asyncio.gather(*tasks, return_exceptions=True)
        assert [isinstance(one, asyncio.CancelledError) for one in found] == [at in (0, 2) for at in range(8)]
        assert [one["n"] for one in found if isinstance(one, dict)] == [4, 6]
        await ways.rest()


async def test_nobody_waits_for_a_command_that_was_given_up(opened: Open) -> None:
    async with opened() as ways:
        ids, watched = await store(ways), Watched(ways)
        gathering, given_up = watched.items._gathering, list[Any]()
        find = gathering._find

        def giving_up(*how: Any) -> Any:
            given_up.extend(gathering._tasks)
            for task in given_up:
                task.cancel()
            return find(*how)

        gathering._find = giving_up
        found = await asyncio.wait_for(watched.ask(*(own(one, "acme") for one in ids[:3])), 5)
        assert found == [{"_id": ids[0], "n": 0}, None, {"_id": ids[2], "n": 2}]
        assert [task.cancelled() for task in given_up] == [True]


async def test_finds_of_one_task_alone_are_left_to_it(opened: Open) -> None:
    """It may read other collections with them in one command, as the store does."""
    async with opened() as ways:
        ids, watched = await store(ways), Watched(ways)
        for answer in [watched.items.ask_by_id(own(one, "acme")[1], SHOWN, one) for one in ids]:
            with pytest.raises(Alone):
                await answer
        assert watched.sent == []


async def test_many_finds_are_several_commands(opened: Open) -> None:
    async with opened() as ways:
        ids = await ways.fill(40)
        watched = Watched(ways)
        found = await watched.ask(*((number, {}) for number in ids))
        assert found == [{"_id": number, "n": at} for at, number in enumerate(ids)]
        assert sorted(len(body["filter"]["_id"]["$in"]) for body in watched.sent) == [8, 16, 16]


async def test_records_that_do_not_fit_one_answer_are_all_found(opened: Open) -> None:
    async with opened() as ways:
        ids, watched = await ways.fill(3), Watched(ways)
        await ways.driver.update_many({}, {"$set": {"large": "x" * 7_000_000}})
        found = await watched.ask(
            *((number, {"_id": number}) for number in ids), shown={"_id": 1, "n": 1, "large": 1}
        )
        assert [(one["n"], len(one["large"])) for one in found] == [(at, 7_000_000) for at in range(3)]
        assert [next(iter(body)) for body in watched.sent] == ["find", "find"]
        assert watched.sent[1]["filter"] == {"_id": ids[2]}


async def test_small_records_do_not_wait_for_what_large_ones_leave_no_room_for(opened: Open) -> None:
    async with opened() as ways:
        ids, watched = await ways.fill(5), Watched(ways)
        await ways.driver.update_many({"n": {"$gt": 1}}, {"$set": {"large": "x" * 12_000_000}})
        absent, shown = ObjectId(), {"_id": 1, "n": 1, "large": 1}
        found = await watched.ask(
            *((number, {"_id": number}) for number in (*ids, absent, ids[4])), shown=shown
        )
        assert [one and one["n"] for one in found] == [0, 1, 2, 3, 4, None, 4]
        together, *alone = watched.sent
        assert together["filter"]["_id"] == {"$in": [*ids, absent]}
        assert ids[0] not in [body["filter"]["_id"] for body in alone]
        assert {body["limit"] for body in alone} == {1}


async def test_finds_of_traced_requests_are_sent_alone(opened: Open) -> None:
    async with opened() as ways:
        ids, watched = await store(ways), Watched(ways, is_traced=True)
        found = await watched.ask(own(ids[0], "acme"), own(ids[2], "acme"))
        assert [one["n"] for one in found] == [0, 2]
        assert [body["limit"] for body in watched.sent] == [1, 1]


matches = st.sampled_from(
    [{}, {"tenant": "acme"}, {"tenant": "globex"}, {"n": {"$gt": 3}}, {"n": {"$bad": 1}}, {"$or": [{"n": 1}]}]
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=5)
@given(
    st.lists(st.lists(st.tuples(st.integers(0, 9), matches), min_size=1, max_size=12), min_size=8, max_size=8)
)
async def test_together_and_alone_are_told_apart_by_nothing(
    opened: Open, turns: list[list[tuple[int, Document]]]
) -> None:
    async with opened() as ways:
        ids, watched = [*await store(ways), ObjectId(), ObjectId()], Watched(ways)
        for turn in turns:
            asked = [(ids[at], {"$and": [match, {"_id": ids[at]}]}) for at, match in turn]
            assert list(map(outline, await watched.ask(*asked))) == [
                outline(await alone(ways, match)) for _number, match in asked
            ]


async def alone(ways: Ways, match: Document) -> Any:
    try:
        return await ways.driver.find_one(match, SHOWN)
    except PyMongoError as error:
        return error


def outline(found: Any) -> Any:
    return (type(found), getattr(found, "code", None)) if isinstance(found, Exception) else found
