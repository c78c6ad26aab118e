"""The same commands through the lane and through the driver: equal answers, equal errors, equal documents."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from bson import ObjectId, Regex
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pymongo import MongoClient, ReturnDocument, UpdateOne
from pymongo.asynchronous.collection import AsyncCollection
from pymongo.collation import Collation
from pymongo.errors import PyMongoError

from runtime.storage.lane import LaneCollection

from .conftest import Document, Ways

IDS = [ObjectId(f"{at:024x}") for at in range(6)]
Step = tuple[str, tuple[Any, ...], dict[str, Any]]

matches = st.sampled_from(
    [
        {}, {"n": 2}, {"n": {"$gt": 1}}, {"_id": IDS[0]}, {"_id": {"$in": IDS[:3]}}, {"name": "a"},
        {"name": Regex("^a")}, {"n": {"$bad": 1}}, {"n": 2**70}, {"n": object}, {"name": "\ud800"},
        {"$where": 1}, {"query": 1}, {"_id": None},
    ]
)  # fmt: skip
updates = st.sampled_from(
    [
        {"$set": {"n": 7}}, {"$inc": {"n": 1}}, {"$inc": {"name": 1}}, {"$set": {"name": "b"}}, {},
        {"n": 1}, {"$bad": {"n": 1}}, [{"$set": {"n": {"$add": ["$n", 1]}}}], [], {"$set": {"_id": 3}},
        {"$set": {"n": 2**70}}, {"$unset": {"n": ""}},
    ]
)  # fmt: skip
documents = st.builds(
    lambda at, n, name: {"_id": IDS[at], "n": n, "name": name},
    st.integers(0, 5), st.integers(-3, 3), st.sampled_from(["a", "ab", "c"]),
)  # fmt: skip
projections = st.sampled_from([None, {}, {"n": 1}, {"_id": 0, "name": 1}, {"n": 1, "name": 0}])
sorts = st.sampled_from([None, [("n", 1), ("_id", -1)], [("name", -1), ("_id", 1)], [("n", 5)]])
pipelines = st.sampled_from(
    [
        [], [{"$match": {"n": {"$gt": 0}}}, {"$sort": {"_id": 1}}], [{"$bad": 1}], [{"$sort": {}}],
        [{"$group": {"_id": "$name", "n": {"$sum": "$n"}}}, {"$sort": {"_id": 1}}],
        [{"$project": {"a": {"$divide": [1, "$n"]}}}, {"$sort": {"_id": 1}}],
    ]
)  # fmt: skip
collations = st.sampled_from([None, Collation("en", strength=2), Collation("nowhere")])


def step(name: str, *arguments: Any, **options: Any) -> st.SearchStrategy[Step]:
    return st.tuples(st.just(name), st.tuples(*arguments), st.fixed_dictionaries(options))


reads = st.one_of(
    step("find", matches, projections, sort=sorts, skip=st.integers(0, 2), limit=st.integers(0, 4),
         batch_size=st.integers(0, 4), collation=collations),
    step("find_one", st.sampled_from([{"_id": IDS[0]}, {"_id": IDS[5]}, {"_id": None}, {"n": object}]), projections),
    step("aggregate", pipelines, batchSize=st.sampled_from([None, 0, 1, 2, 50]), collation=collations),
)  # fmt: skip
writes = st.one_of(
    step("insert_one", documents),
    step("insert_many", st.lists(documents, min_size=1, max_size=4), ordered=st.booleans()),
    step("update_one", matches, updates),
    step("update_many", matches, updates),
    step("bulk_write", st.lists(st.tuples(matches, updates), min_size=1, max_size=3), ordered=st.booleans()),
    step("delete_one", matches),
    step("delete_many", matches),
    step("find_one_and_update", matches, updates, projection=projections,
         return_document=st.sampled_from([ReturnDocument.BEFORE, ReturnDocument.AFTER])),
)  # fmt: skip
transactions = st.tuples(st.lists(st.one_of(reads, writes), min_size=1, max_size=4), st.booleans())
programs = st.lists(st.one_of(reads, writes, transactions), min_size=1, max_size=6)


class Play:
    """Programs on one event loop, each on two collections of the same name."""

    def __init__(self, uri: str, client: MongoClient[Document], names: tuple[str, str]) -> None:
        self.runner = asyncio.Runner()
        self.client, self.names, self.uri = client, names, uri
        self.ways = self.runner.run(self._open())

    async def _open(self) -> tuple[Ways, Ways]:
        return Ways(self.uri, self.names[0]), Ways(self.uri, self.names[1])

    def close(self) -> None:
        for ways in self.ways:
            self.runner.run(ways.client.close())
        self.runner.close()

    def run(self, program: list[Any]) -> tuple[list[Any], list[Any]]:
        """Outcomes of every step, and what is stored in the end; with the lane, and without."""
        for name in self.names:
            stored = [{"_id": IDS[at], "n": at, "name": "Aab"[at]} for at in range(3)]
            self.client[name]["items"].delete_many({})
            self.client[name]["items"].insert_many(stored)
        fast, plain = self.ways
        return (
            self.runner.run(outcomes(program, fast.fast, fast)),
            self.runner.run(outcomes(program, plain.driver, plain)),
        )

    def stored(self) -> list[list[Document]]:
        return [list(self.client[name]["items"].find().sort("_id", 1)) for name in self.names]


@pytest.fixture(scope="module")
def play(mongo_uri: str, mongo_client: MongoClient[Document]) -> Iterator[Play]:
    names = (f"lane-{uuid4().hex[:8]}", f"plain-{uuid4().hex[:7]}")
    found = Play(mongo_uri, mongo_client, names)
    yield found
    found.close()
    for name in names:
        mongo_client.drop_database(name)


async def outcomes(program: list[Any], collection: Any, ways: Ways) -> list[Any]:
    found = []
    for item in program:
        if isinstance(item[0], str):
            found.append(await outcome(collection, item, ways))
            continue
        steps, is_kept = item
        async with ways.session(lane=isinstance(collection, LaneCollection)) as session:
            await session.start_transaction()
            for one in steps:
                found.append(await outcome(collection, one, ways, session=session))
                if found[-1][0] == "raised":
                    break
            else:
                await (session.commit_transaction() if is_kept else session.abort_transaction())
    return found


async def outcome(collection: Any, item: Step, ways: Ways, **session: Any) -> tuple[Any, ...]:
    """What became of one command, without what differs by name or by the moment."""
    name, arguments, options = item
    if name == "bulk_write":
        arguments = ([raw_update(match, update) for match, update in arguments[0]],)
    elif name in ("insert_one", "insert_many"):
        arguments = (_copied(arguments[0]),)
    if name in ("find", "aggregate"):
        options = {key: value for key, value in options.items() if value is not None or key == "sort"}
    try:
        if name == "find":
            return "rows", await collection.find(*arguments, **options, **session).to_list()
        if name == "aggregate":
            return "rows", await (await collection.aggregate(*arguments, **options, **session)).to_list()
        found = await getattr(collection, name)(*arguments, **options, **session)
    except Exception as error:
        return "raised", *_described(error, ways)
    return "found", _plain(found)


def raw_update(match: Any, update: Any) -> UpdateOne:
    one = UpdateOne({}, {"$set": {"n": 1}})
    one._filter, one._doc = match, update
    return one


def _copied(value: Any) -> Any:
    return [dict(one) for one in value] if isinstance(value, list) else dict(value)


def _plain(found: Any) -> Any:
    """Results of the driver say only what they are when asked."""
    names = ("matched_count", "modified_count", "deleted_count", "inserted_id", "inserted_ids")
    if isinstance(found, dict | int | None):
        return found
    return type(found), {name: getattr(found, name) for name in names if hasattr(found, name)}


def _described(error: Exception, ways: Ways) -> tuple[Any, ...]:
    labels = sorted(error._error_labels) if isinstance(error, PyMongoError) else ()
    details = getattr(error, "details", None) or {}
    shown = {key: details[key] for key in ("keyValue", "index", "nInserted", "nMatched") if key in details}
    said = str(details.get("errmsg", "")) or (str(error) if not isinstance(error, PyMongoError) else "")
    errors = [(one["index"], one["code"], one.get("op")) for one in details.get("writeErrors", ())]
    said = said.replace(ways.driver.database.name, "")
    return type(error), getattr(error, "code", None), labels, shown, said, errors


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None, max_examples=60)
@given(programs)
def test_lane_and_driver_are_told_apart_by_nothing(play: Play, program: list[Any]) -> None:
    fast, plain = play.run(program)
    assert fast == plain
    first, second = play.stored()
    assert first == second
    for ways in play.ways:
        play.runner.run(ways.rest())


def test_the_collections_of_the_driver_have_all_methods_of_the_lane() -> None:
    offered = {name for name in vars(LaneCollection) if not name.startswith("_")}
    assert offered - {*vars(AsyncCollection)} == {"prepare_insert"}
