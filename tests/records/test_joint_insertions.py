"""New records that hold others and come in one turn: one transaction, and each request as if it were alone."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest
from bson import ObjectId
from pymongo import MongoClient
from pymongo.errors import WriteConcernError

from runtime import records
from runtime.contract.writes import Bulk, BulkOperation
from runtime.errors import Duplicate, MissingReference, ServiceError, StillReferenced, StoreUnavailable
from runtime.records.document.terms import Terms
from runtime.records.joint_insertions import JointInsertions
from runtime.spelling import Spelling, Step
from runtime.storage.store import LOCK, Transaction
from runtime.storage.store.store import Store
from tests.records.depots import CRATE, DEPOT, Document, absent, to
from tests.records.yard import Yard

pytestmark = pytest.mark.anyio

Client = MongoClient[Any]


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """Count transactions, and the records that were inserted in one command with others."""
    seen: Counter[str] = Counter()
    transact, insert = Store.transact, Transaction.insert_across

    async def counting_transact(store: Any, *work: Any, **options: Any) -> Any:
        seen["transactions"] += 1
        return await transact(store, *work, **options)

    async def counting_insert(store: Any, access: Any, document: Any, others: Any) -> None:
        seen["joint"] += 1 + len(others)
        await insert(store, access, document, others)

    with (
        patch.object(Store, "transact", counting_transact),
        patch.object(Transaction, "insert_across", counting_insert),
    ):
        yield seen


async def at_once(yard: Yard, bodies: list[Document], **options: Any) -> list[Any]:
    """Save crates in one turn, each by a call of its own, and return what became of each."""
    calls = [await yard.call() for _body in bodies]
    saves = (yard.save(CRATE, body, call, **options) for body, call in zip(bodies, calls, strict=True))
    return await asyncio.gather(*saves, return_exceptions=True)


async def depots(yard: Yard, number: int = 3) -> list[Document]:
    return [await yard.save(DEPOT, {"town": f"Town {at}"}) for at in range(number)]


async def test_records_of_one_turn_are_one_transaction(yard: Yard, mongo_client: Client) -> None:
    places = await depots(yard)
    locks = [row.get(LOCK) for row in yard.stored(mongo_client, DEPOT)]
    with counted() as seen:
        saved = await at_once(yard, [{"code": str(at), "depot": to(places[at % 3]["id"])} for at in range(9)])
    assert seen == {"transactions": 1, "joint": 9}
    assert [one["code"] for one in saved] == [str(at) for at in range(9)]
    assert [one["depot"]["entityDisplayName"] for one in saved] == [
        places[at % 3]["displayName"] for at in range(9)
    ]
    stored = yard.stored(mongo_client, CRATE)
    assert {str(row["_id"]) for row in stored} == {one["id"] for one in saved}
    assert all(row.get(LOCK) not in (None, *locks) for row in yard.stored(mongo_client, DEPOT))
    for depot in places:
        with pytest.raises(ServiceError):
            await yard.delete(DEPOT, depot)


async def test_a_record_alone_in_its_turn_takes_the_usual_way(yard: Yard) -> None:
    (depot,) = await depots(yard, 1)
    with counted() as seen:
        await at_once(yard, [{"depot": to(depot["id"])}])
    assert seen == {"transactions": 1}


async def test_each_finds_its_own_fault_and_the_others_are_stored(yard: Yard, mongo_client: Client) -> None:
    (depot,) = await depots(yard, 1)
    taken = await yard.save(CRATE, {"refName": "taken"})
    bodies = [
        {"refName": "first", "depot": to(depot["id"])},
        {"refName": "taken", "depot": to(depot["id"])},
        {"refName": "lost", "depot": absent()},
        {"refName": "last", "depot": to(depot["id"])},
    ]
    found = await at_once(yard, bodies)
    assert [type(one) for one in found] == [dict, Duplicate, MissingReference, dict]
    assert {row["refName"] for row in yard.stored(mongo_client, CRATE)} == {"first", "last", taken["refName"]}


async def test_records_of_tenants_are_stored_together_and_stay_apart(
    yard: Yard, mongo_client: Client
) -> None:
    tenants = ("acme", "globex", "initech")
    calls = {name: await yard.call(name) for name in tenants}
    places = {name: await yard.save(DEPOT, {"refName": "D", "town": name}, calls[name]) for name in tenants}
    with counted() as seen:
        own = await asyncio.gather(
            *(yard.save(CRATE, {"depot": to(places[one]["id"])}, calls[one]) for one in tenants)
        )
    assert seen == {"transactions": 1, "joint": 3}
    of_others = await asyncio.gather(
        *(
            yard.save(CRATE, {"depot": to(places[other]["id"])}, calls[one])
            for one in tenants
            for other in tenants
            if one != other
        ),
        return_exceptions=True,
    )
    assert [type(one) for one in of_others] == [MissingReference] * 6
    stored = {str(row["_id"]): row for row in yard.stored(mongo_client, CRATE)}
    for tenant, saved in zip(tenants, own, strict=True):
        row = stored.pop(saved["id"])
        assert row["dataDomain"]["tenantId"] == tenant == saved["dataDomain"]["tenantId"]
        assert str(row["depot"]["entityId"]) == places[tenant]["id"]
    assert stored == {}


async def test_a_target_that_goes_meanwhile_is_missed_by_its_record_alone(
    yard: Yard, mongo_client: Client
) -> None:
    kept, going = await depots(yard, 2)
    transact = Store.transact

    async def losing(store: Any, *work: Any, **options: Any) -> Any:
        mongo_client[yard.realm][DEPOT.collection].delete_one({"_id": ObjectId(going["id"])})
        return await transact(store, *work, **options)

    with patch.object(Store, "transact", losing):
        found = await at_once(yard, [{"depot": to(one["id"])} for one in (kept, going, kept)])
    assert [type(one) for one in found] == [dict, MissingReference, dict]
    assert len(yard.stored(mongo_client, CRATE)) == 2


async def test_a_target_that_is_renamed_meanwhile_is_copied_by_its_new_name(
    yard: Yard, mongo_client: Client
) -> None:
    (depot,) = await depots(yard, 1)
    transact, names = Store.transact, iter(["renamed"])

    async def renaming(store: Any, *work: Any, **options: Any) -> Any:
        for name in names:
            fresh = {"$set": {"refName": name, "displayName": name}}
            mongo_client[yard.realm][DEPOT.collection].update_one({}, fresh)
        return await transact(store, *work, **options)

    with patch.object(Store, "transact", renaming):
        found = await at_once(yard, [{"depot": to(depot["id"])}] * 3)
    assert [one["depot"]["entityRefName"] for one in found] == ["renamed"] * 3


async def test_one_that_is_cancelled_leaves_the_others_alone(yard: Yard, mongo_client: Client) -> None:
    (depot,) = await depots(yard, 1)
    calls = [await yard.call() for _at in range(4)]
    body = {"depot": to(depot["id"])}
    tasks = [asyncio.create_task(yard.save(CRATE, {**body, "code": str(at)}, calls[at])) for at in range(4)]
    close = type(yard.service.insertions)._close

    def cancelling(joint: Any, place: Any, waiting: Any) -> None:
        tasks[1].cancel()
        close(joint, place, waiting)

    with patch.object(type(yard.service.insertions), "_close", cancelling):
        found = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(one) for one in found] == [dict, asyncio.CancelledError, dict, dict]
    assert {row["code"] for row in yard.stored(mongo_client, CRATE)} - {"1"} == {"0", "2", "3"}


async def test_nobody_tries_again_what_may_be_stored(yard: Yard) -> None:
    (depot,) = await depots(yard, 1)
    seen = []

    async def failing(_store: Any, *_work: Any, **_options: Any) -> Any:
        seen.append("asked")
        raise StoreUnavailable("the store did not answer; try again")

    with patch.object(Store, "transact", failing):
        found = await at_once(yard, [{"depot": to(depot["id"])}] * 3)
    assert [type(one) for one in found] == [StoreUnavailable] * 3
    assert len({id(one) for one in found}) == 3
    assert seen == ["asked"]


async def test_nobody_is_refused_because_of_a_record_of_its_own(yard: Yard, mongo_client: Client) -> None:
    """The transaction may be committed although the store reports a failure, which is not one of a kind."""
    (depot,) = await depots(yard, 1)
    transact, seen = Store.transact, list[str]()

    async def failing(store: Any, *work: Any, **options: Any) -> Any:
        seen.append("asked")
        await transact(store, *work, **options)
        raise WriteConcernError("not enough members have it", 100)

    with patch.object(Store, "transact", failing):
        found = await at_once(yard, [{"depot": to(depot["id"])}] * 3)
    assert [type(one) for one in found] == [StoreUnavailable] * 3
    assert seen == ["asked"]
    assert len(yard.stored(mongo_client, CRATE)) == 3


async def test_what_has_more_to_store_is_stored_by_itself(yard: Yard, mongo_client: Client) -> None:
    (depot,) = await depots(yard, 1)
    body = {"depot": to(depot["id"])}
    with counted() as seen:
        await at_once(yard, [body] * 3, terms=Terms(is_dry_run=True))
    assert seen == {"transactions": 3}
    assert yard.stored(mongo_client, CRATE) == []
    traced = replace(yard.service)
    with patch.object(Store, "is_traced", lambda _store: True), counted() as seen:
        assert traced.insertions is not None
        await at_once(yard, [body] * 3)
    assert seen == {"transactions": 3}


@pytest.mark.parametrize("is_dry_run", [False, True])
async def test_a_record_of_a_transaction_is_stored_in_it_or_not_at_all(
    yard: Yard, mongo_client: Client, is_dry_run: bool
) -> None:
    """Neither before the transaction of the request is committed, nor when it is undone."""
    (depot,) = await depots(yard, 1)
    body = {"depot": to(depot["id"])}
    saves = [{"op": "save", "record": one} for one in (body, body, {"depot": absent()})]
    seen = list[Any]()

    async def store(_joint: Any, _call: Any, change: Any) -> bool:
        seen.append(change)
        return False

    with patch.object(JointInsertions, "store", store):
        with pytest.raises(MissingReference):
            await yard.bulk(CRATE, *saves, atomic=True)
        if is_dry_run:
            call, terms = await yard.call(), Terms(is_dry_run=True)
            sent = Bulk(operations=[BulkOperation(**one) for one in saves[:2]], atomic=True)
            await records.run_bulk(call, CRATE, sent, terms)
    assert seen == []
    assert yard.stored(mongo_client, CRATE) == []


@pytest.mark.parametrize("is_last", [False, True])
async def test_a_target_of_another_tenant_is_missed_whoever_else_holds_it(
    yard: Yard, mongo_client: Client, is_last: bool
) -> None:
    """The role ``system`` sees the records of all tenants; its own refer to none of another."""
    (depot,) = await depots(yard, 1)
    own, system = await yard.call("acme"), await yard.call("operators", ("system",))
    calls = [own, system] if is_last else [system, own]
    close = JointInsertions._close

    def wait_for_both(joint: JointInsertions, place: Any, waiting: Any) -> None:
        loop.call_later(0.2, close, joint, place, waiting)

    loop, saves = asyncio.get_running_loop(), list[Any]()
    with patch.object(JointInsertions, "_close", wait_for_both), counted() as seen:
        for call in calls:
            saves.append(asyncio.create_task(yard.save(CRATE, {"depot": to(depot["id"])}, call)))
            await asyncio.sleep(0.05)
        found = await asyncio.gather(*saves, return_exceptions=True)
    assert seen["transactions"] == 3
    assert [type(one) for one in found] == [dict if call is own else MissingReference for call in calls]
    assert [row["dataDomain"]["tenantId"] for row in yard.stored(mongo_client, CRATE)] == ["acme"]


async def test_what_another_writer_holds_is_waited_for_by_those_who_hold_it_alone(
    yard: Yard, mongo_client: Client
) -> None:
    free, locked = await depots(yard, 2)
    calls = [await yard.call() for _at in range(4)]
    places = [locked, free, free, locked]
    with mongo_client.start_session() as session, session.start_transaction():
        rows = mongo_client[yard.realm][DEPOT.collection]
        rows.update_one({"_id": ObjectId(locked["id"])}, {"$set": {LOCK: ObjectId()}}, session=session)
        tasks = [
            asyncio.create_task(yard.save(CRATE, {"depot": to(place["id"])}, call))
            for place, call in zip(places, calls, strict=True)
        ]
        done, waiting = await asyncio.wait(tasks, timeout=2)
        assert done == {tasks[1], tasks[2]}
        assert waiting == {tasks[0], tasks[3]}
        session.abort_transaction()
    saved = await asyncio.gather(*tasks)
    assert {row["_id"] for row in yard.stored(mongo_client, CRATE)} == {ObjectId(one["id"]) for one in saved}


@pytest.mark.parametrize("is_large", [False, True])
async def test_a_record_that_takes_long_is_waited_for_by_no_other(yard: Yard, is_large: bool) -> None:
    place, *others = await depots(yard, 10)
    small, many = {"depot": to(place["id"])}, {"others": [to(one["id"]) for one in others]}
    large = {"code": "x" * 2**16, "depot": to(others[0]["id"])}
    with counted() as seen:
        found = await at_once(yard, [small, large if is_large else many, small])
    assert seen == {"transactions": 2, "joint": 2}
    assert [type(one) for one in found] == [dict] * 3


async def test_nobody_waits_for_a_transaction_that_was_given_up(yard: Yard) -> None:
    (depot,) = await depots(yard, 1)
    transact, insertions = Store.transact, yard.service.insertions
    assert isinstance(insertions, JointInsertions)

    async def giving_up(store: Any, *work: Any, **options: Any) -> Any:
        for task in insertions._tasks:
            task.cancel()
        return await transact(store, *work, **options)

    with patch.object(Store, "transact", giving_up):
        found = await asyncio.wait_for(at_once(yard, [{"depot": to(depot["id"])}] * 3), 5)
    assert [type(one) for one in found] == [asyncio.CancelledError] * 3


@pytest.mark.parametrize("is_shared", [False, True])
async def test_while_their_types_change_they_are_stored_as_each_would_be_alone(
    yard: Yard, mongo_client: Client, is_shared: bool
) -> None:
    places, rows = await depots(yard), mongo_client[yard.realm]
    rows[DEPOT.collection].update_many({}, {"$rename": {"town": "place"}})
    yard.service.store.spellings.table = {
        (yard.realm, DEPOT.collection): Spelling(2, (Step("town", ("town",), "place"),), is_shared),
        (yard.realm, CRATE.collection): Spelling(2, (Step("code", ("code",), "mark"),), is_shared),
    }
    bodies = [{"code": str(at), "depot": to(places[at % 3]["id"])} for at in range(6)]
    later, close = asyncio.get_running_loop().call_later, JointInsertions._close
    with (
        patch.object(JointInsertions, "_close", lambda *how: later(0.2, close, *how)),
        counted() as seen,
    ):
        await at_once(yard, bodies)
    assert seen == {"transactions": 1, "joint": 6}
    together = yard.stored(mongo_client, CRATE)
    for body in bodies:
        await yard.save(CRATE, body)
    alone = [row for row in yard.stored(mongo_client, CRATE) if row not in together]
    own = {"_id", "refName", "auditInfo"}
    one, other = (
        sorted(({name: row[name] for name in row.keys() - own} for row in rows), key=lambda row: row["label"])
        for rows in (together, alone)
    )
    assert one == other
    assert {"code", "mark"} & one[0].keys() == ({"code", "mark"} if is_shared else {"code"})
    for depot in places:
        with pytest.raises(StillReferenced):
            await yard.delete(DEPOT, depot)
