"""Commands that the server fails: both ways try again as often, and end alike.

``LANE_ALL=1`` tries every command with every failure, which takes minutes.
"""

from __future__ import annotations

import os
from itertools import product
from typing import Any

import pytest
from pymongo import MongoClient, UpdateOne
from pymongo.errors import ConnectionFailure, PyMongoError
from pymongo.monitoring import CommandListener, CommandStartedEvent

from .conftest import Document, Open, Ways

pytestmark = pytest.mark.anyio

COMMANDS = [
    *("find", "getMore", "aggregate", "insert", "update", "delete", "findAndModify"),
    *("commitTransaction", "abortTransaction"),
]


async def _transact(ways: Ways, collection: Any) -> Any:
    async def work(session: Any) -> int:
        found = await collection.update_one({"n": 1}, {"$inc": {"times": 1}}, session=session)
        return int(found.matched_count)

    async with ways.session(lane=collection is ways.fast) as session:
        return await session.with_transaction(work)


async def _insert_in_session(ways: Ways, collection: Any) -> Any:
    async with ways.session(lane=collection is ways.fast) as session:
        await collection.insert_one({"_id": "first"}, session=session)
        return await collection.insert_one({"_id": "second"}, session=session)


async def _aggregate(_ways: Ways, collection: Any) -> Any:
    cursor = await collection.aggregate([{"$match": {"n": 1}}, {"$project": {"_id": 0, "n": 1}}])
    return await cursor.to_list()


ACTS: dict[str, Any] = {
    "find": lambda _ways, collection: collection.find({"n": 1}, {"_id": 0}).to_list(),
    "find more": lambda _ways, collection: collection.find({}, {"n": 1, "_id": 0}, batch_size=2).to_list(),
    "find one": lambda _ways, collection: collection.find_one({"n": 1}, {"n": 1, "_id": 0}),
    "aggregate": _aggregate,
    "insert": lambda _ways, collection: collection.insert_one({"_id": "new"}),
    "insert many": lambda _ways, collection: collection.insert_many([{"_id": "x"}, {"_id": "y"}]),
    "update": lambda _ways, collection: collection.update_one({"n": 1}, {"$inc": {"times": 1}}),
    "update many": lambda _ways, collection: collection.update_many({}, {"$inc": {"times": 1}}),
    "bulk": lambda _ways, collection: collection.bulk_write([UpdateOne({"n": 1}, {"$inc": {"times": 1}})]),
    "delete": lambda _ways, collection: collection.delete_one({"n": 1}),
    "find and modify": lambda _ways, collection: collection.find_one_and_update({"n": 1}, {"$inc": {"n": 0}}),
    "session": _insert_in_session,
    "transaction": _transact,
}
FAILURES: dict[str, Document] = {
    "closed": {"closeConnection": True},
    "not the primary": {"errorCode": 10107},
    "shutting down": {"errorCode": 91},
    "unreachable": {"errorCode": 6},
    "took too long": {"errorCode": 262},
    "time limit": {"errorCode": 50},
    "write conflict": {"errorCode": 112, "errorLabels": ["TransientTransactionError"]},
    "unknown": {"errorCode": 8},
    "cursor gone": {"errorCode": 43},
    "overloaded": {"errorCode": 462, "errorLabels": ["SystemOverloadedError", "RetryableError"]},
    "write concern, passing": {"writeConcernError": {"code": 91, "errmsg": "shutting down"}},
    "write concern, late": {"writeConcernError": {"code": 64, "errmsg": "late", "errInfo": {"wtimeout": True}}},
    "write concern, labelled": {
        "writeConcernError": {"code": 100, "errmsg": "cannot"}, "errorLabels": ["RetryableWriteError"],
    },
}  # fmt: skip
SOME = [
    ("find more", "closed"), ("aggregate", "not the primary"), ("insert many", "write concern, passing"),
    ("insert", "write concern, labelled"), ("update", "write concern, late"), ("update many", "closed"),
    ("find one", "time limit"), ("transaction", "closed"), ("transaction", "write conflict"),
    ("delete", "overloaded"), ("session", "closed"),
]  # fmt: skip
IS_ALL = bool(os.environ.get("LANE_ALL"))
ALL = list(product(ACTS, FAILURES)) if IS_ALL else SOME


class Sent(CommandListener):
    """Which commands were sent, and how each ended."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def started(self, event: CommandStartedEvent) -> None:
        if event.command_name in COMMANDS:
            numbered = "numbered" if "txnNumber" in event.command else ""
            self.names.append(f"{event.command_name} {numbered}")

    def succeeded(self, event: Any) -> None:
        if event.command_name in COMMANDS:
            self.names.append("succeeded")

    def failed(self, event: Any) -> None:
        if event.command_name in COMMANDS:
            self.names.append("failed")


@pytest.mark.parametrize("times", [1, 2] if IS_ALL else [1])
@pytest.mark.parametrize(("act", "failure"), ALL)
async def test_both_ways_end_alike(
    secured: str, opened: Open, failing: MongoClient[Document], act: str, failure: str, times: int
) -> None:
    fast, plain = await _end_both_ways(secured, opened, failing, act, failure, times=times)
    assert fast == plain


@pytest.mark.parametrize("act", ACTS if IS_ALL else ["aggregate", "session"])
async def test_both_ways_end_alike_where_nothing_is_sent_again(
    secured: str, opened: Open, failing: MongoClient[Document], act: str
) -> None:
    options = {"retryReads": False, "retryWrites": False}
    fast, plain = await _end_both_ways(secured, opened, failing, act, "closed", **options)
    assert fast == plain


@pytest.mark.parametrize("is_fast", [True, False])
async def test_a_cursor_whose_connection_broke_is_left_to_its_server(
    secured: str, opened: Open, failing: MongoClient[Document], is_fast: bool
) -> None:
    name = f"broken-{os.getpid()}"
    async with opened(secured, appname=name) as ways:
        await ways.driver.delete_many({})
        await ways.fill(5)
        data = {"failCommands": ["getMore"], "appName": name, "closeConnection": True}
        failing.admin.command("configureFailPoint", "failCommand", mode={"times": 1}, data=data)
        with pytest.raises(ConnectionFailure):
            await (ways.fast if is_fast else ways.driver).find({}, batch_size=2).to_list()
        assert not ways.client._kill_cursors_queue


async def _end_both_ways(
    secured: str,
    opened: Open,
    failing: MongoClient[Document],
    act: str,
    failure: str,
    times: int = 1,
    **retries: bool,
) -> list[Any]:
    """How the command ends through the lane, and how without; what was sent for it, and what is stored then."""
    ends = []
    for is_fast in (True, False):
        sent = Sent()
        name = f"{'fast' if is_fast else 'plain'}-{os.getpid()}"
        options = {"heartbeatFrequencyMS": 500, "timeoutMS": 8000, "appname": name, "event_listeners": [sent]}
        async with opened(secured, **options, **retries) as ways:
            await ways.driver.delete_many({})
            await ways.fill(5)
            sent.names.clear()
            data = {"failCommands": COMMANDS, "appName": name, **FAILURES[failure]}
            failing.admin.command("configureFailPoint", "failCommand", mode={"times": times}, data=data)
            end = await _end(ways, ways.fast if is_fast else ways.driver, act)
            failing.admin.command("configureFailPoint", "failCommand", mode="off")
            stored = [one async for one in ways.driver.find({}, {"n": 1, "times": 1}).sort("n")]
            ends.append((end, sent.names, [{**one, "_id": None} for one in stored]))
            await ways.rest()
    return ends


async def _end(ways: Ways, collection: Any, act: str) -> tuple[Any, ...]:
    try:
        found = await ACTS[act](ways, collection)
    except PyMongoError as error:
        return type(error), getattr(error, "code", None), sorted(error._error_labels), error.timeout
    return "found", found if isinstance(found, list | int) else type(found)
