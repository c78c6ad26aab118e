"""What is done after a transaction, who goes first in one, and what the store keeps for itself."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from bson import ObjectId
from pymongo import MongoClient
from pymongo.errors import AutoReconnect, BulkWriteError, OperationFailure, PyMongoError

from runtime.errors import Duplicate, RecordBusy, ServiceError, StoreUnavailable, TooLarge
from runtime.filter import EVERYTHING, Projection, by_id
from runtime.model.catalog import Catalog
from runtime.storage.indexes import apply_indexes
from runtime.storage.store import LOCK, Changes, Store, Transaction
from runtime.storage.store.faults import FaultTranslation
from runtime.storage.store.turns import Turns

from .conftest import SUPPLIER, WIDGET, AccessTo, stored_widget

pytestmark = pytest.mark.anyio


def labelled(error: PyMongoError, label: str) -> PyMongoError:
    error._add_error_label(label)
    return error


@pytest.mark.parametrize(
    "error",
    [
        labelled(OperationFailure("the node is shutting down", 91), "UnknownTransactionCommitResult"),
        labelled(AutoReconnect("the connection is gone"), "UnknownTransactionCommitResult"),
        labelled(OperationFailure("a write conflict", 112), "TransientTransactionError"),
        labelled(OperationFailure("no primary any more", 10107), "RetryableWriteError"),
    ],
    ids=[
        "whether it was stored is not known",
        "nor is it here",
        "another was in the way",
        "the primary changed",
    ],
)
def test_a_transaction_that_came_to_no_good_end_may_be_tried_again(error: PyMongoError) -> None:
    with pytest.raises(StoreUnavailable), FaultTranslation(None):
        raise error


def test_what_the_store_does_not_understand_is_a_fault_of_ours() -> None:
    with pytest.raises(OperationFailure), FaultTranslation(None):
        raise OperationFailure("unknown operator", 2)


@pytest.mark.parametrize(
    "error",
    [
        OperationFailure("transaction is too large and will not fit in the storage engine cache", 388),
        BulkWriteError({"writeErrors": [{"index": 3, "code": 388, "errmsg": "too large"}], "nInserted": 3}),
    ],
    ids=["at its end", "at a write"],
)
def test_a_transaction_of_more_than_the_store_can_hold_is_413(error: PyMongoError) -> None:
    with pytest.raises(TooLarge, match="send fewer records together"), FaultTranslation(None):
        raise error


async def test_reads_of_a_transaction_go_to_the_primary(mongo_uri: str, access_to: AccessTo) -> None:
    store = Store(f"{mongo_uri}&readPreference=secondaryPreferred")

    async def read(inner: Transaction) -> int:
        return await inner.count(access_to(), EVERYTHING)

    try:
        assert await store.transact(read) == 0
    finally:
        await store.close()


class TestRefused:
    """The store ends a transaction with the first document it refuses: what follows would only run again."""

    @pytest.mark.parametrize(("number", "size"), [(600, 10), (5, 13 * 2**20)], ids=["many", "large"])
    async def test_one_of_more_new_records_than_one_command_takes(
        self, store: Store, access_to: AccessTo, realm: str, number: int, size: int
    ) -> None:
        await apply_indexes(store, realm, Catalog((WIDGET,)))
        await store.insert(access_to(), stored_widget(refName="n-0"))
        title, attempts = "x" * size, list[Transaction]()

        async def work(inside: Transaction) -> dict[int, ServiceError]:
            attempts.append(inside)
            new = [stored_widget(refName=f"n-{at}", title=title) for at in range(number)]
            errors = await inside.insert_many(access_to(), new)
            for error in errors.values():
                raise error
            return errors

        with pytest.raises(Duplicate, match="n-0"):
            await store.transact(work)
        assert len(attempts) == 1
        assert await store.count(access_to(), EVERYTHING) == 1


class TestAfterStoring:
    async def test_it_is_done_once_all_is_stored_and_without_the_transaction(
        self, store: Store, access_to: AccessTo
    ) -> None:
        seen: list[int] = []

        async def look(outside: Store) -> None:
            seen.append(await outside.count(access_to(), EVERYTHING))

        async def work(inside: Transaction) -> None:
            await inside.run_after_storing(look)
            await inside.insert(access_to(), stored_widget())
            assert seen == []

        await store.transact(work)
        assert seen == [1]

    async def test_inside_another_it_waits_for_the_outer_one(self, store: Store, access_to: AccessTo) -> None:
        seen: list[str] = []

        async def late(_outside: Store) -> None:
            seen.append("after")

        async def work(inside: Transaction) -> None:
            await inside.transact(lambda same: same.run_after_storing(late))
            seen.append("inside")

        await store.transact(work)
        assert seen == ["inside", "after"]

    async def test_without_a_transaction_it_is_done_at_once(self, store: Store) -> None:
        seen: list[Store] = []

        async def note(given: Store) -> None:
            seen.append(given)

        await store.run_after_storing(note)
        assert seen == [store]

    @pytest.mark.parametrize("why", ["undone", "dry run"])
    async def test_it_is_not_done_for_what_was_not_stored(
        self, store: Store, access_to: AccessTo, why: str
    ) -> None:
        seen: list[Store] = []

        async def note(given: Store) -> None:
            seen.append(given)

        async def work(inside: Transaction) -> None:
            await inside.run_after_storing(note)
            await inside.insert(access_to(), stored_widget())
            if why == "undone":
                raise Duplicate("taken")

        if why == "undone":
            with pytest.raises(Duplicate):
                await store.transact(work)
        else:
            await store.transact(work, is_dry_run=True)
        assert (seen, await store.count(access_to(), EVERYTHING)) == ([], 0)

    async def test_a_transaction_that_runs_again_does_it_once(
        self, store: Store, access_to: AccessTo
    ) -> None:
        made = stored_widget()
        await store.insert(access_to(), made)
        seen: list[str] = []
        attempts: list[Transaction] = []

        async def note(_given: Store) -> None:
            seen.append("done")

        async def work(inside: Transaction) -> None:
            attempts.append(inside)
            await inside.run_after_storing(note)
            await inside.count(access_to(), EVERYTHING)
            if len(attempts) == 1:  # somebody else is faster
                await store.update_many(access_to(), EVERYTHING, Changes(set={"title": "theirs"}))
            await inside.update_many(access_to(), EVERYTHING, Changes(set={"title": "ours"}))

        await store.transact(work)
        assert (len(attempts), seen) == (2, ["done"])


class TestTurns:
    async def test_only_those_that_share_a_name_wait_for_each_other(self) -> None:
        turns, running, most = Turns(), 0, 0

        async def one(*names: str) -> None:
            nonlocal running, most
            async with turns.take(names, 5):
                running += 1
                most = max(most, running)
                await asyncio.sleep(0)
                running -= 1

        await asyncio.gather(*(one("a", "b") for _n in range(3)), *(one("b", "a") for _n in range(3)))
        assert most == 1
        await asyncio.gather(*(one(name) for name in "cde"))
        assert most == 3

    async def test_a_turn_is_free_again_after_a_fault(self) -> None:
        turns = Turns()
        with pytest.raises(ValueError, match="mine"):
            async with turns.take({"a"}, 5):
                raise ValueError("mine")
        async with turns.take({"a"}, 0.01):
            pass

    async def test_one_that_does_not_come_is_told_and_takes_none(self) -> None:
        turns = Turns()
        async with turns.take({"b"}, 5):
            with pytest.raises(RecordBusy):
                await turns.take({"a", "b"}, 0.01).__aenter__()
            async with turns.take({"a"}, 0.01):  # it had waited for b with a in hand
                pass

    async def test_nothing_is_remembered_of_who_has_gone(self) -> None:
        turns = Turns()
        for n in range(100):
            async with turns.take({f"record-{n}"}, 5):
                pass
        assert len(turns._lines) == 0

    async def test_they_come_in_the_order_in_which_they_were_wanted(self) -> None:
        turns, order = Turns(), list[int]()

        async def one(number: int) -> None:
            async with turns.take({"a"}, 5):
                order.append(number)
                await asyncio.sleep(0)

        await asyncio.gather(*map(one, range(10)))
        assert order == list(range(10))

    async def test_one_that_is_cancelled_gives_its_turn_back(self) -> None:
        turns = Turns()

        async def one() -> None:
            async with turns.take({"a"}, 5):
                await asyncio.Event().wait()

        has_it, waits = asyncio.create_task(one()), asyncio.create_task(one())
        await asyncio.sleep(0)
        assert turns.busy_line("a")
        for task in (waits, has_it):
            task.cancel()
        await asyncio.gather(has_it, waits, return_exceptions=True)
        assert not turns.busy_line("a")
        async with turns.take({"a"}, 0.01):
            pass

    async def test_a_full_line_refuses_at_once(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("runtime.storage.store.turns.MOST_WAITING", 2)
        turns, done = Turns(), list[int]()

        async def one(number: int) -> None:
            async with turns.take({"a"}, 5):
                done.append(number)

        async with turns.take({"a"}, 5):
            waiting = [asyncio.create_task(one(number)) for number in range(2)]
            await asyncio.sleep(0)
            with pytest.raises(RecordBusy):
                await turns.take({"a"}, 5).__aenter__()
        await asyncio.gather(*waiting)
        assert done == [0, 1]


class TestTheLock:
    """A field of the store's own: no read returns it, whichever way it is asked."""

    @pytest.fixture
    async def locked(self, store: Store, access_to: AccessTo) -> dict[str, Any]:
        made = stored_widget()
        await store.insert(access_to(), made)
        await store.update_many(access_to(), EVERYTHING, Changes(set={LOCK: ObjectId()}))
        return made

    async def test_no_read_returns_it(
        self, store: Store, access_to: AccessTo, locked: dict[str, Any]
    ) -> None:
        access, match = access_to(), by_id(str(locked["_id"]))
        reads: list[Any] = [
            await store.find(access, match),
            await store.find(access, match, projection=Projection(exclude=("title",))),
            await store.find(access, match, projection=Projection(include=("refName", LOCK))),
            await store.find_one(access, match),
            (await store.find_page(access, [match], order=[("_id", 1)], limit=5)).rows,
            await store.find_across(access, match, [], Projection()),
            await store.update_one(access, match, Changes(set={"title": "x"})),
        ]
        for found in reads:
            assert found
            assert LOCK not in str(found)

    async def test_a_replace_leaves_it(
        self,
        store: Store,
        access_to: AccessTo,
        locked: dict[str, Any],
        mongo_client: MongoClient[Any],
        realm: str,
    ) -> None:
        lock = (mongo_client[realm]["widgets"].find_one() or {})[LOCK]
        assert await store.replace(access_to(), by_id(str(locked["_id"])), locked)
        assert mongo_client[realm]["widgets"].find_one() == locked | {LOCK: lock}


async def test_the_first_of_each_of_several_types(store: Store, access_to: AccessTo, realm: str) -> None:
    await apply_indexes(store, realm, Catalog((WIDGET, SUPPLIER)))
    widgets, suppliers = ([stored_widget() for _n in range(3)] for _each in range(2))
    await store.insert_many(access_to(), widgets[::-1])
    await store.insert_many(access_to(SUPPLIER), suppliers[::-1])
    found = await store.find_across(
        access_to(),
        EVERYTHING,
        [(access_to(SUPPLIER), EVERYTHING)],
        Projection(include=("refName",)),
        limit=2,
    )
    assert [[row["_id"] for row in rows] for rows in found] == [
        sorted(row["_id"] for row in made)[:2] for made in (widgets, suppliers)
    ]


async def test_update_each_counts_only_those_that_were_still_as_expected(
    store: Store, access_to: AccessTo
) -> None:
    made = [stored_widget() for _n in range(3)]
    await store.insert_many(access_to(), made)
    updates = [(by_id(str(row["_id"])), Changes(set={"count": n})) for n, row in enumerate(made)]
    updates[1] = (by_id("0" * 24), Changes(set={"count": 9}))
    assert await store.update_each(access_to(), updates) == 2
    rows = await store.find(access_to(), EVERYTHING, order=[("_id", 1)])
    assert [row.get("count") for row in rows] == [0, None, 2]
