"""Inserts that are sent with their commit: both are stored or neither, whatever comes back."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from bson import ObjectId, decode, encode
from pymongo import MongoClient
from pymongo.errors import ConnectionFailure, DuplicateKeyError, OperationFailure, PyMongoError

from runtime.storage.lane import LaneCollection, LaneSession, WatchedLane
from runtime.storage.lane.attempt import Attempts
from tests.patience import wait_until

from .conftest import Document, Open, Ways
from .proxy import Meddle, half, late, proxied, refused, renumbered

pytestmark = pytest.mark.anyio

NAMES = ("first", "second")
AGAIN = "TransientTransactionError"


class Pair:
    """A document for each of two collections. ``runs``: how often its transaction ran."""

    def __init__(self, ways: Ways) -> None:
        self.ways = ways
        self.collections = [LaneCollection(ways.lane, ways.driver.database[name]) for name in NAMES]
        self.documents: list[Document] = [{"_id": ObjectId(), "name": f"of the {name}"} for name in NAMES]
        self.runs, self.is_torn = 0, False
        self.ran_again = asyncio.Event()

    async def store(self) -> None:
        """Store them as the store does, which raises in the transaction what is refused."""

        async def work(session: Any) -> None:
            self.runs += 1
            if self.runs > 1:
                self.ran_again.set()
            inserts = list(zip(self.collections, self.documents, strict=True))
            ended = await session.commit_with([one.prepare_insert([its], session) for one, its in inserts])
            if ended is None:
                for one, its in inserts:
                    await one.insert_one(its, session=session)
                return
            self.is_torn |= ended.is_torn
            for refusal in filter(None, ended.refusals):
                raise refusal

        async with self.ways.session() as session:
            assert isinstance(session, LaneSession)
            await session.with_transaction(work)

    async def find(self) -> list[bool]:
        """Look which are stored."""
        pairs = zip(self.collections, self.documents, strict=True)
        return [await one.driver.find_one({"_id": its["_id"]}) == its for one, its in pairs]


async def _create(ways: Ways) -> Pair:
    """Create both collections, before a transaction does."""
    await ways.fill()
    pair = Pair(ways)
    for one in pair.collections:
        await one.driver.insert_one({})
    return pair


async def test_both_are_stored_and_the_session_goes_on(opened: Open) -> None:
    async with opened(maxPoolSize=1) as ways:
        pair = await _create(ways)
        await pair.store()
        assert await pair.find() == [True, True]
        await ways.rest()


async def test_to_a_server_that_may_turn_commands_away_each_is_sent_alone(
    opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runtime.storage.lane.lane._NEWEST_TOGETHER", 0)
    monkeypatch.delattr("runtime.storage.lane.attempt.Attempts.send_together")
    async with opened(maxPoolSize=1) as ways:
        pair = await _create(ways)
        await pair.store()
        assert (await pair.find(), pair.runs) == ([True, True], 1)
        await ways.rest()


@pytest.mark.parametrize("taken", [0, 1], ids=NAMES)
async def test_a_refused_one_leaves_nothing_and_says_why(opened: Open, taken: int) -> None:
    async with opened(maxPoolSize=1) as ways:
        pair = await _create(ways)
        await pair.collections[taken].driver.insert_one({"_id": pair.documents[taken]["_id"], "n": 1})
        with pytest.raises(DuplicateKeyError) as raised:
            await pair.store()
        assert (raised.value.details or {})["keyValue"] == {"_id": pair.documents[taken]["_id"]}
        assert (await pair.find(), pair.runs, pair.is_torn) == ([False, False], 1, False)
        await ways.rest()


async def test_each_is_passed_to_who_watches_and_nothing_else_is_sent(opened: Open) -> None:
    seen = list[tuple[str, type | None]]()

    def watch(body: Any, _began: float, error: BaseException | None) -> None:
        seen.append((next(iter(body)), error and type(error)))

    async with opened() as ways:
        ways.lane = WatchedLane(ways.client, watch)
        pair = await _create(ways)
        await pair.store()
        assert seen == [("insert", None), ("insert", None), ("commitTransaction", None)]
        seen.clear()
        with pytest.raises(DuplicateKeyError):
            await pair.store()
        after = OperationFailure
        assert seen == [("insert", DuplicateKeyError), ("insert", after), ("commitTransaction", after)]


async def test_a_connection_that_breaks_is_passed_to_who_watches_for_each(
    mongo_uri: str, opened: Open
) -> None:
    seen = list[tuple[str, BaseException | None]]()

    def watch(body: Any, _began: float, error: BaseException | None) -> None:
        seen.append((next(iter(body)), error))

    async with proxied(mongo_uri) as proxy, opened(proxy.uri) as ways:
        ways.lane = WatchedLane(ways.client, watch)
        pair = await _create(ways)
        proxy.do(half(then_closed=True), mark=MARKS["first"])
        await _catch(pair)
        names, errors = zip(*seen[:3], strict=True)
        assert names == ("insert", "insert", "commitTransaction")
        assert isinstance(errors[0], ConnectionFailure)
        assert errors == errors[:1] * 3
        await ways.rest()


async def test_another_writer_in_the_way_lets_it_run_again(opened: Open) -> None:
    async with opened() as ways:
        pair = await _create(ways)
        async with ways.session(lane=False) as other, await other.start_transaction():
            await pair.collections[1].driver.insert_one({"_id": pair.documents[1]["_id"]}, session=other)
            waiting = asyncio.create_task(pair.store())
            await pair.ran_again.wait()
            await other.abort_transaction()
            await waiting
        assert (await pair.find(), pair.is_torn) == ([True, True], False)
        await ways.rest()


FAILURES: list[tuple[str, str, Document, list[bool]]] = [
    ("the first", "first", {"errorCode": 8}, [False, False]),
    ("the first, no primary", "first", {"errorCode": 10107}, [True, True]),
    ("the second: it alone is missing", "second", {"errorCode": 8}, [True, False]),
    ("the commit, no primary", "$cmd", {"errorCode": 10107}, [True, True]),
    ("the commit, another writer", "$cmd", {"errorCode": 251, "errorLabels": [AGAIN]}, [True, True]),
    ("the commit, unknown", "$cmd", {"errorCode": 8}, [False, False]),
    ("the connection before the commit", "$cmd", {"closeConnection": True}, [True, True]),
]


@pytest.mark.parametrize(
    ("name", "failure", "stored"), [row[1:] for row in FAILURES], ids=[row[0] for row in FAILURES]
)
async def test_what_mongodb_turns_away(
    opened: Open, secured: str, failing: MongoClient[Document], realm: str, name: str, failure: Document,
    stored: list[bool],
) -> None:  # fmt: skip
    """Of the second MongoDB commits what is left: who sends it looks for that."""
    async with opened(secured, heartbeatFrequencyMS=500) as ways:
        pair = await _create(ways)
        command = "commitTransaction" if name == "$cmd" else "insert"
        where = {} if name == "$cmd" else {"namespace": f"{realm}.{name}"}
        data = {"failCommands": [command], **where, **failure}
        failing.admin.command("configureFailPoint", "failCommand", mode={"times": 1}, data=data)
        if stored == [True, True]:
            await pair.store()
        else:
            with pytest.raises(OperationFailure):
                await pair.store()
        assert (await pair.find(), pair.is_torn) == (stored, stored == [True, False])
        await ways.rest()


async def test_no_transaction_stays_open_of_which_the_commit_was_turned_away_too(
    opened: Open, secured: str, failing: MongoClient[Document]
) -> None:
    async with opened(secured) as ways:
        pair, before = await _create(ways), _count_open(failing)
        data = {"failCommands": ["insert", "commitTransaction"], "errorCode": 8}
        failing.admin.command("configureFailPoint", "failCommand", mode={"skip": 1}, data=data)
        with pytest.raises(OperationFailure):
            await pair.store()
        assert _count_open(failing) == before
        assert (await pair.find(), pair.is_torn) == ([False, False], False)
        await ways.rest()


def _count_open(client: MongoClient[Document]) -> int:
    found: int = client.admin.command("serverStatus")["transactions"]["currentOpen"]
    return found


async def test_a_part_that_is_committed_without_a_majority_is_torn(
    opened: Open, secured: str, failing: MongoClient[Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The commit is answered with an error, although it has been done."""
    unsure = {"code": 64, "codeName": "WriteConcernTimeout", "errmsg": "waiting for replication timed out"}
    exchange = Attempts._exchange_all

    async def answer_unsure(attempts: Any, messages: Any, conn: Any, deadline: float) -> list[Any]:
        found = await exchange(attempts, messages, conn, deadline)
        if len(messages) > 1:
            found[-1] = encode({**decode(found[-1]), "writeConcernError": unsure})
        return found

    monkeypatch.setattr(Attempts, "_exchange_all", answer_unsure)
    async with opened(secured) as ways:
        pair = await _create(ways)
        data = {"failCommands": ["insert"], "errorCode": 8}
        failing.admin.command("configureFailPoint", "failCommand", mode={"skip": 1}, data=data)
        with pytest.raises(OperationFailure, match="failCommand"):
            await pair.store()
        assert (await pair.find(), pair.is_torn) == ([True, False], True)
        await ways.rest()


SILENT: dict[str, Meddle] = {
    "half": half(then_closed=True), "of another": renumbered(1), "late": late(2.0),
}  # fmt: skip
MARKS = {"first": b"of the first", "second": b"of the second", "commit": b"commitTransaction"}


@pytest.mark.parametrize("meddle", SILENT.values(), ids=SILENT)
@pytest.mark.parametrize("mark", MARKS.values(), ids=MARKS)
async def test_an_answer_that_does_not_come(
    mongo_uri: str, opened: Open, meddle: Meddle, mark: bytes
) -> None:
    """It may have been stored: then it does not run again, and what is raised does not say that it was not."""
    async with proxied(mongo_uri) as proxy, opened(proxy.uri, maxPoolSize=1, timeoutMS=1000) as ways:
        pair = await _create(ways)
        proxy.do(meddle, mark=mark)
        error = await _catch(pair)
        found = await pair.find()
        assert found in ([True, True], [False, False])
        if error is None:
            assert found == [True, True]
        else:
            assert isinstance(error, PyMongoError)
            assert not error.has_error_label(AGAIN)
        assert pair.runs == 1 or found == [True, True]
        await ways.rest()


async def _catch(pair: Pair) -> Exception | None:
    try:
        await pair.store()
    except PyMongoError as error:
        return error
    return None


async def test_the_commit_is_not_sent_again_while_inserts_may_follow(
    mongo_uri: str, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection breaks at the first answer, and the rest is still on the way: it is undone first.

    The driver calls off its wait for news of the server then, and looks each half second whether it has.
    """
    monkeypatch.setattr("pymongo.network_layer._POLL_TIMEOUT", 0.01)
    async with proxied(mongo_uri) as proxy, opened(proxy.uri, maxPoolSize=2, timeoutMS=3000) as ways:
        for _turn in range(20):
            pair = await _create(ways)
            proxy.do(half(then_closed=True), mark=MARKS["first"])
            await _catch(pair)
            assert await pair.find() in ([True, True], [False, False])
            await ways.rest()


@pytest.mark.parametrize("others", [-1, *range(7)])
async def test_what_was_sent_before_the_connection_broke_is_stored_once(
    mongo_uri: str, opened: Open, others: int
) -> None:
    """It reaches MongoDB never, or after so many commands. Before it is undone, it has been stored: a success."""
    async with proxied(mongo_uri) as proxy, opened(proxy.uri, maxPoolSize=1) as ways:
        pair = await _create(ways)
        prepare = pair.collections[0].prepare_insert
        pair.collections[0].prepare_insert = lambda rows, session: prepare(  # a new record in each run
            [{**rows[0], "_id": ObjectId()}], session
        )
        proxy.lost, proxy.others = MARKS["first"], others
        error = await _catch(pair)
        stored = [await one.driver.count_documents({"name": {"$exists": True}}) for one in pair.collections]
        assert stored == [1, 1]
        assert (pair.runs, error) == (1 if others in (0, 1, 2) else 2, None)
        await ways.rest()


DOUBTS = {
    "one of its documents is not there": None,
    "its commit, sent again, is answered with an error": b"commitTransaction",
    "the lookup of a document is answered with an error": b"singleBatch",
}


@pytest.mark.parametrize("mark", DOUBTS.values(), ids=DOUBTS)
async def test_what_may_be_committed_in_part_is_not_taken_for_stored(
    mongo_uri: str, opened: Open, monkeypatch: pytest.MonkeyPatch, mark: bytes | None
) -> None:
    """The connection broke, and the transaction is committed."""
    async with proxied(mongo_uri) as proxy, opened(proxy.uri, maxPoolSize=1) as ways:
        pair = await _create(ways)
        undo = LaneSession._undo

        async def undo_and_raise_doubts(session: LaneSession, first: Any) -> Any:
            found = await undo(session, first)
            if mark is not None:
                proxy.do(refused(8), mark=mark)
            else:
                await pair.collections[1].driver.delete_one({"_id": pair.documents[1]["_id"]})
            return found

        monkeypatch.setattr(LaneSession, "_undo", undo_and_raise_doubts)
        proxy.lost, proxy.others = MARKS["first"], 0
        error = await _catch(pair)
        assert isinstance(error, PyMongoError)
        assert not error.has_error_label(AGAIN)
        assert (await pair.find(), pair.runs, proxy.times) == ([True, mark is not None], 1, 0)
        await ways.rest()


async def test_no_transaction_stays_open_of_which_the_undoing_is_cut_off(
    mongo_uri: str, mongo_client: MongoClient[Document], opened: Open
) -> None:
    """Nothing reached MongoDB, and the next connection breaks before it is known that the end has begun."""
    async with proxied(mongo_uri) as proxy, opened(proxy.uri, maxPoolSize=1) as ways:
        pair, before = await _create(ways), _count_open(mongo_client)
        proxy.lost = MARKS["first"]
        proxy.do(half(then_closed=True), mark=MARKS["first"])
        await pair.store()
        wait_until(lambda: _count_open(mongo_client) <= before)  # those of other tests end
        assert (await pair.find(), pair.runs) == ([True, True], 2)
        await ways.rest()
