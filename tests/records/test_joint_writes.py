"""Writes that come in one turn: one transaction, and each request as if it were alone."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import pytest
from bson import ObjectId
from pymongo import MongoClient
from pymongo.errors import WriteConcernError

from runtime import records
from runtime.call import Call
from runtime.contract.writes import Bulk, BulkOperation
from runtime.errors import (
    Denied,
    Duplicate,
    MissingReference,
    NotFound,
    ServiceError,
    StillReferenced,
    StoreUnavailable,
    VersionConflict,
)
from runtime.model.record_type import RecordType
from runtime.records import joint_writes
from runtime.records.document.terms import Terms
from runtime.records.joint_writes import JointWrites
from runtime.spelling import Spelling, Step
from runtime.storage.access import Action
from runtime.storage.as_service import as_service
from runtime.storage.store import LOCK, Transaction
from runtime.storage.store.store import Store
from tests.lanes import TAKES_LANE
from tests.log_lines import capture_logs
from tests.records.depots import CRATE, DEPOT, ROUTE, Document, absent, to
from tests.records.yard import Yard

pytestmark = pytest.mark.anyio

Client = MongoClient[Any]
NEW_NAME = {"displayName": "new"}


@pytest.fixture(autouse=True)
def one_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the lane nothing gathers what writes read first: those that come soon after each other wait here."""
    if TAKES_LANE:
        return
    store, turns = JointWrites.store, list[asyncio.Event]()

    async def wait_for_turn(joint: JointWrites, *what: Any) -> bool:
        if not turns or turns[-1].is_set():
            turns.append(asyncio.Event())
            asyncio.get_running_loop().call_later(0.1, turns[-1].set)
        await turns[-1].wait()
        return await store(joint, *what)

    monkeypatch.setattr(JointWrites, "store", wait_for_turn)


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """Count transactions, and the records that were inserted or replaced in one command with others."""
    seen: Counter[str] = Counter()
    transact, insert, replace_across = Store.transact, Transaction.insert_across, Transaction.replace_across
    insert_last = Transaction.insert_last

    async def counting_transact(store: Any, *work: Any, **options: Any) -> Any:
        seen["transactions"] += 1
        return await transact(store, *work, **options)

    async def counting_insert(store: Any, access: Any, document: Any, others: Any) -> None:
        seen["joint"] += 1 + len(others)
        await insert(store, access, document, others)

    async def counting_last(store: Any, access: Any, document: Any, others: Any = ()) -> None:
        if others:
            seen["joint"] += 1 + len(others)
        await insert_last(store, access, document, others)

    async def counting_replace(store: Any, access: Any, replacement: Any, others: Any) -> int:
        seen["joint"] += 1 + len(others)
        return await replace_across(store, access, replacement, others)

    with (
        patch.object(Store, "transact", counting_transact),
        patch.object(Transaction, "insert_across", counting_insert),
        patch.object(Transaction, "insert_last", counting_last),
        patch.object(Transaction, "replace_across", counting_replace),
    ):
        yield seen


async def at_once(yard: Yard, bodies: list[Document], **options: Any) -> list[Any]:
    """Save crates in one turn, each by a call of its own, and return what became of each."""
    calls = [await yard.call() for _body in bodies]
    saves = (yard.save(CRATE, body, call, **options) for body, call in zip(bodies, calls, strict=True))
    return await asyncio.gather(*saves, return_exceptions=True)


async def patch_at_once(
    yard: Yard, patches: Mapping[str, Document], kind: RecordType[Any] = ROUTE, **options: Any
) -> list[Any]:
    """Patch records in one turn, each by a call of its own, and return what became of each."""
    calls = [await yard.call() for _patch in patches]
    asked = zip(patches.items(), calls, strict=True)
    return await asyncio.gather(
        *(yard.patch(kind, {"id": own}, change, call, **options) for (own, change), call in asked),
        return_exceptions=True,
    )


async def routes(yard: Yard, number: int) -> list[Document]:
    return [await yard.save(ROUTE, {"refName": f"route-{at}"}) for at in range(number)]


async def depots(yard: Yard, number: int = 3) -> list[Document]:
    return [await yard.save(DEPOT, {"town": f"Town {at}"}) for at in range(number)]


def close_with(number: int, close: Callable[..., None] = JointWrites._close) -> Callable[..., None]:
    """The end of a turn that waits until so many writes have come, however slow the machine is."""

    def wait(joint: JointWrites, place: Any, waiting: Any) -> None:
        if len(waiting) < number:
            asyncio.get_running_loop().call_later(0.01, wait, joint, place, waiting)
        else:
            close(joint, place, waiting)

    return wait


@contextmanager
def in_one_turn(number: int) -> Iterator[Counter[str]]:
    """Count what so many writes do that come in one turn."""
    with patch.object(JointWrites, "_close", close_with(number)), counted() as seen:
        yield seen


async def test_records_of_one_turn_are_one_transaction(yard: Yard, mongo_client: Client) -> None:
    places = await depots(yard)
    locks = [row.get(LOCK) for row in yard.stored(mongo_client, DEPOT)]
    with in_one_turn(9) as seen:
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
    with in_one_turn(3) as seen:
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
    close = type(yard.service.joint_writes)._close

    def cancelling(joint: Any, place: Any, waiting: Any) -> None:
        tasks[1].cancel()
        close(joint, place, waiting)

    with patch.object(type(yard.service.joint_writes), "_close", cancelling):
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


async def test_a_fault_of_the_service_is_logged_and_keeps_nobody_from_storing(yard: Yard) -> None:
    (depot,) = await depots(yard, 1)

    async def failing(_store: Any, *_work: Any) -> None:
        raise TypeError("not foreseen")

    with patch.object(Transaction, "insert_across", failing), capture_logs() as lines:
        found = await at_once(yard, [{"depot": to(depot["id"])}] * 3)
    assert [type(one) for one in found] == [dict] * 3
    assert [(one["event"], one["type"]) for one in lines] == [("joint_writes.failed", "Crate")]


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
        assert traced.joint_writes is not None
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

    with patch.object(JointWrites, "store", store):
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
    saves = list[Any]()
    with in_one_turn(1) as seen:
        for call in calls:
            saves.append(asyncio.create_task(yard.save(CRATE, {"depot": to(depot["id"])}, call)))
            await asyncio.sleep(0.05)
        async with asyncio.timeout(30):
            found = await asyncio.gather(*saves, return_exceptions=True)
    assert seen["transactions"] == 1
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
        await asyncio.gather(tasks[1], tasks[2])
        done, _waiting = await asyncio.wait((tasks[0], tasks[3]), timeout=0.3)
        assert done == set()
        session.abort_transaction()
    saved = await asyncio.gather(*tasks)
    assert {row["_id"] for row in yard.stored(mongo_client, CRATE)} == {ObjectId(one["id"]) for one in saved}


@pytest.mark.parametrize("is_large", [False, True])
async def test_a_record_that_takes_long_is_waited_for_by_no_other(yard: Yard, is_large: bool) -> None:
    place, *others = await depots(yard, 10)
    small, many = {"depot": to(place["id"])}, {"others": [to(one["id"]) for one in others]}
    large = {"code": "x" * 2**16, "depot": to(others[0]["id"])}
    with in_one_turn(2) as seen:
        found = await at_once(yard, [small, large if is_large else many, small])
    assert seen == {"transactions": 2, "joint": 2}
    assert [type(one) for one in found] == [dict] * 3


async def test_nobody_waits_for_a_transaction_that_was_given_up(yard: Yard, mongo_client: Client) -> None:
    """With the lane all are given up; the driver may make a failure of it, and then each is stored by itself."""
    (depot,) = await depots(yard, 1)
    transact, insertions = Store.transact, yard.service.joint_writes
    assert isinstance(insertions, JointWrites)

    async def giving_up(store: Any, *work: Any, **options: Any) -> Any:
        for task in insertions._tasks:
            task.cancel()
        return await transact(store, *work, **options)

    with patch.object(Store, "transact", giving_up):
        found = await asyncio.wait_for(at_once(yard, [{"depot": to(depot["id"])}] * 3), 5)
    stored = yard.stored(mongo_client, CRATE)
    assert [type(one) for one in found] == [dict if stored else asyncio.CancelledError] * 3
    assert len(stored) in ((0,) if TAKES_LANE else (0, 3))


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
    with in_one_turn(len(bodies)) as seen:
        async with asyncio.timeout(30):
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


class TestChanges:
    """Changed records that hold nothing new."""

    async def test_those_of_one_turn_are_one_transaction(self, yard: Yard, mongo_client: Client) -> None:
        found = await routes(yard, 9)
        with in_one_turn(9) as seen:
            changed = await patch_at_once(yard, {one["id"]: {"displayName": one["id"]} for one in found})
        assert seen == {"transactions": 1, "joint": 9}
        for before, after in zip(found, changed, strict=True):
            expected = {"version": 2, "displayName": before["id"], "auditInfo": after["auditInfo"]}
            assert after == before | expected
        stored = {str(row["_id"]): row for row in yard.stored(mongo_client, ROUTE)}
        assert {row["displayName"] for row in stored.values()} == stored.keys()
        assert {row["version"] for row in stored.values()} == {2}

    async def test_two_need_no_fewer_commands_together(self, yard: Yard) -> None:
        found = await routes(yard, 2)
        with counted() as seen:
            await patch_at_once(yard, {one["id"]: NEW_NAME for one in found})
        assert seen == {}

    async def test_each_finds_its_own_fault_and_the_others_are_stored(
        self, yard: Yard, mongo_client: Client
    ) -> None:
        found = await routes(yard, 5)
        patches = {one["id"]: NEW_NAME for one in found} | {found[2]["id"]: {"refName": "route-4"}}
        with in_one_turn(5) as seen:
            changed = await patch_at_once(yard, patches)
        assert seen == {"transactions": 1, "joint": 5}
        assert [type(one) for one in changed] == [dict, dict, Duplicate, dict, dict]
        versions = [row["version"] for row in yard.stored(mongo_client, ROUTE)]
        assert versions == [2, 2, 1, 2, 2]

    @pytest.mark.parametrize("seconds", [0.0, 60.0])
    async def test_a_caller_whose_write_was_refused_is_alone_for_a_moment(
        self, yard: Yard, seconds: float
    ) -> None:
        found = await routes(yard, 5)
        with patch.object(joint_writes, "_APART_SECONDS", seconds):
            await patch_at_once(yard, {found[0]["id"]: {"refName": "route-4"}})
        with counted() as seen:
            changed = await patch_at_once(yard, {one["id"]: NEW_NAME for one in found})
        assert seen == ({} if seconds else {"transactions": 1, "joint": 5})
        assert [one["version"] for one in changed] == [2] * 5

    async def test_one_that_another_process_changes_is_changed_again_by_itself(
        self, yard: Yard, mongo_client: Client
    ) -> None:
        found = await routes(yard, 4)
        transact, others = Store.transact, iter(found[:1])

        async def interfering(store: Any, *work: Any, **options: Any) -> Any:
            for one in others:
                change = {"$inc": {"version": 1}, "$set": {"activeStatus": "INACTIVE"}}
                mongo_client[yard.realm][ROUTE.collection].update_one({"_id": ObjectId(one["id"])}, change)
            return await transact(store, *work, **options)

        with patch.object(Store, "transact", interfering), counted() as seen:
            changed = await patch_at_once(yard, {one["id"]: NEW_NAME for one in found})
        assert seen == {"transactions": 1, "joint": 4}
        assert [one["version"] for one in changed] == [3, 2, 2, 2]
        assert [one["activeStatus"] for one in changed] == ["INACTIVE", *["ACTIVE"] * 3]
        assert {row["displayName"] for row in yard.stored(mongo_client, ROUTE)} == {"new"}

    async def test_those_of_tenants_are_stored_together_and_stay_apart(
        self, yard: Yard, mongo_client: Client
    ) -> None:
        calls = {name: await yard.call(name) for name in ("acme", "globex", "initech")}
        own = {name: await yard.save(ROUTE, {"refName": "R"}, call) for name, call in calls.items()}
        with in_one_turn(3) as seen:
            await asyncio.gather(
                *(yard.patch(ROUTE, own[one], {"displayName": one}, calls[one]) for one in calls)
            )
        assert seen == {"transactions": 1, "joint": 3}
        foreign = await asyncio.gather(
            *(
                yard.patch(ROUTE, own[other], {"displayName": one}, calls[one])
                for one in calls
                for other in calls
                if one != other
            ),
            return_exceptions=True,
        )
        assert [type(one) for one in foreign] == [NotFound] * 6
        for row in yard.stored(mongo_client, ROUTE):
            assert row["displayName"] == row["dataDomain"]["tenantId"]

    async def test_what_has_more_to_store_is_stored_by_itself(self, yard: Yard, mongo_client: Client) -> None:
        crate, found = await yard.save(CRATE, {}), await routes(yard, 6)
        ways: list[tuple[Document, dict[str, Any]]] = [
            ({"crates": [to(crate["id"])]}, {}),  # holds another
            (NEW_NAME, {"terms": Terms(is_dry_run=True)}),
        ]
        for change, options in ways:
            with counted() as seen:
                await patch_at_once(yard, {one["id"]: change for one in found}, **options)
            assert seen["joint"] == 0
        crates = [await yard.save(CRATE, {"code": str(at)}) for at in range(4)]
        with counted() as seen:  # names that routes may have copied
            await patch_at_once(yard, {one["id"]: {"code": "new"} for one in crates}, kind=CRATE)
        assert seen["joint"] == 0
        assert {row.get("code") for row in yard.stored(mongo_client, CRATE)} == {None, "new"}

    async def test_a_version_that_is_not_there_any_more_is_a_conflict(self, yard: Yard) -> None:
        found = await routes(yard, 4)
        await yard.patch(ROUTE, found[0], {"activeStatus": "INACTIVE"})
        patches = {one["id"]: NEW_NAME | {"version": 1} for one in found}
        changed = await patch_at_once(yard, patches)
        assert [type(one) for one in changed] == [VersionConflict, dict, dict, dict]

    async def test_they_and_new_records_that_hold_them_do_not_wait_for_each_other(self, yard: Yard) -> None:
        places = await depots(yard, 4)
        patches = {one["id"]: {"activeStatus": "INACTIVE"} for one in places}
        bodies = [{"depot": to(one["id"])} for one in places]
        with counted() as seen:
            saved, changed = await asyncio.wait_for(
                asyncio.gather(at_once(yard, bodies), patch_at_once(yard, patches, kind=DEPOT)), 3
            )
        assert seen["joint"] >= 4
        assert [type(one) for one in (*saved, *changed)] == [dict] * 8

    @pytest.mark.parametrize("is_shared", [False, True])
    async def test_when_their_type_begins_to_change_they_are_stored_as_each_would_be_alone(
        self, yard: Yard, mongo_client: Client, is_shared: bool
    ) -> None:
        places, rows = await depots(yard, 8), mongo_client[yard.realm][DEPOT.collection]
        inactive, close = {"activeStatus": "INACTIVE"}, JointWrites._close

        def begin(joint: JointWrites, place: Any, waiting: Any) -> None:
            rows.update_many({}, {"$rename": {"town": "place"}})
            yard.service.store.spellings.table = _town_is_place(yard, is_shared)
            close(joint, place, waiting)

        with patch.object(JointWrites, "_close", close_with(4, begin)), counted() as seen:
            await patch_at_once(yard, {one["id"]: inactive for one in places[:4]}, kind=DEPOT)
        assert seen["joint"] == 4
        for one in places[4:]:
            await yard.patch(DEPOT, one, inactive)
        stored = yard.stored(mongo_client, DEPOT)
        own = {"_id", "refName", "auditInfo", "displayName", "town", "place"}
        plain = [{name: row[name] for name in row.keys() - own} for row in stored]
        assert plain == [plain[0]] * 8
        assert {frozenset(row) for row in stored} == {frozenset(stored[0])}
        assert [row["town"] for row in stored] == [f"Town {at}" for at in range(8)]
        assert [row.get("place") for row in stored] == [
            f"Town {at}" if is_shared else None for at in range(8)
        ]

    @pytest.mark.parametrize("is_shared", [False, True])
    async def test_those_that_are_converted_first_are_stored_by_themselves(
        self, yard: Yard, is_shared: bool
    ) -> None:
        places = await depots(yard, 4)
        yard.service.store.spellings.table = _town_is_place(yard, is_shared)
        with counted() as seen:
            changed = await patch_at_once(
                yard, {one["id"]: {"activeStatus": "INACTIVE"} for one in places}, kind=DEPOT
            )
        assert seen["joint"] == 0
        assert [one["version"] for one in changed] == [2] * 4

    async def test_once_their_type_has_changed_they_are_one_command_again(
        self, yard: Yard, mongo_client: Client
    ) -> None:
        places = await depots(yard, 4)
        yard.service.store.spellings.table = {(yard.realm, DEPOT.collection): Spelling(2)}
        inactive = {"activeStatus": "INACTIVE"}
        with patch.object(Transaction, "replace") as replace_one, counted() as seen:
            await patch_at_once(yard, {one["id"]: inactive for one in places}, kind=DEPOT)
        assert seen["joint"] == 4
        replace_one.assert_not_called()
        assert [row["activeStatus"] for row in yard.stored(mongo_client, DEPOT)] == ["INACTIVE"] * 4


def _town_is_place(yard: Yard, is_shared: bool) -> dict[tuple[str, str], Spelling]:
    """A migration that has renamed ``place`` to ``town``."""
    return {(yard.realm, DEPOT.collection): Spelling(2, (Step("town", ("town",), "place"),), is_shared)}


async def test_new_records_that_hold_nothing_come_together_too(yard: Yard, mongo_client: Client) -> None:
    first = await yard.save(CRATE, {})  # by now it is known that no webhook is about crates
    with in_one_turn(5) as seen:
        saved = await at_once(yard, [{"code": str(at)} for at in range(5)])
    assert seen == {"transactions": 1, "joint": 5}
    stored = {str(row["_id"]) for row in yard.stored(mongo_client, CRATE)}
    assert stored == {one["id"] for one in (first, *saved)}
    with counted() as seen:
        await at_once(yard, [{"code": "x"}] * 2)
    assert seen == {}


class Notes:
    """Stores a depot with each crate or route, of the same name; refuses those that are called ``refused``.

    ``seen``: for each time that it was asked to follow, the tenant of the call and the names.
    """

    def __init__(self, *, is_joint: bool = True) -> None:
        self.is_joint, self.seen = is_joint, list[tuple[str | None, list[str]]]()

    async def want(self, call: Call, kind: RecordType[Any], /) -> bool:
        return kind.name in {CRATE.name, ROUTE.name}

    async def follow(self, call: Call, transaction: Transaction, changes: Sequence[Any], /) -> None:
        names = [(change.after or {})["refName"] for change in changes]
        self.seen.append((call.principal.scope.tenant_id, names))
        for change, name in zip(changes, names, strict=True):
            note = {**change.after, "_id": ObjectId(), "town": name}
            await transaction.insert(as_service(DEPOT, call.database, Action.CREATE), note)
            if name == "refused":
                raise Denied("not this one")


async def test_companions_follow_the_writes_of_a_turn_at_once(yard: Yard, mongo_client: Client) -> None:
    notes = Notes()
    yard = replace(yard, service=replace(yard.service, companions=(notes,)))
    with in_one_turn(3) as seen:
        await at_once(yard, [{"refName": name} for name in "abc"])
    assert seen == {"transactions": 1, "joint": 3}
    ((tenant, names),) = notes.seen
    assert (tenant, sorted(names)) == ("acme", ["a", "b", "c"])
    assert sorted(row["town"] for row in yard.stored(mongo_client, DEPOT)) == ["a", "b", "c"]


async def test_companions_follow_the_changes_of_a_turn_at_once(yard: Yard, mongo_client: Client) -> None:
    found, notes = await routes(yard, 3), Notes()
    yard = replace(yard, service=replace(yard.service, companions=(notes,)))
    with in_one_turn(3) as seen:
        await patch_at_once(yard, {one["id"]: NEW_NAME for one in found})
    assert seen == {"transactions": 1, "joint": 3}
    ((tenant, names),) = notes.seen
    assert (tenant, sorted(names)) == ("acme", ["route-0", "route-1", "route-2"])
    assert {row["version"] for row in yard.stored(mongo_client, ROUTE)} == {2}
    assert len(yard.stored(mongo_client, DEPOT)) == 3


async def test_a_write_with_a_companion_that_is_alone_is_one_transaction(yard: Yard) -> None:
    yard = replace(yard, service=replace(yard.service, companions=(Notes(),)))
    with counted() as seen:
        await at_once(yard, [{"refName": "a"}])
    assert seen == {"transactions": 1}


async def test_companions_that_are_not_joint_follow_one_write_each(yard: Yard) -> None:
    notes = Notes(is_joint=False)
    yard = replace(yard, service=replace(yard.service, companions=(Notes(), notes)))
    with counted() as seen:
        await at_once(yard, [{"refName": name} for name in "abc"])
    assert seen == {"transactions": 3}
    assert sorted(names for _tenant, names in notes.seen) == [["a"], ["b"], ["c"]]


async def test_a_write_that_a_companion_refuses_stops_no_other(yard: Yard, mongo_client: Client) -> None:
    yard = replace(yard, service=replace(yard.service, companions=(Notes(),)))
    found = await at_once(yard, [{"refName": name} for name in ("a", "refused", "c")])
    assert [type(one) for one in found] == [dict, Denied, dict]
    for kind in (CRATE, DEPOT):
        assert sorted(row["refName"] for row in yard.stored(mongo_client, kind)) == ["a", "c"]


async def test_writes_with_companions_are_together_with_those_of_their_tenant_alone(yard: Yard) -> None:
    notes = Notes()
    yard = replace(yard, service=replace(yard.service, companions=(notes,)))
    calls = [await yard.call(tenant) for tenant in ("acme", "globex") * 2]
    with counted() as seen:
        await asyncio.gather(*(yard.save(CRATE, {"refName": str(at)}, call) for at, call in enumerate(calls)))
    assert seen == {"transactions": 2, "joint": 4}
    assert sorted(notes.seen) == [("acme", ["0", "2"]), ("globex", ["1", "3"])]
