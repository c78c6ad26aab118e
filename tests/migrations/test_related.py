"""Migrations by hand that create records of another type: once for each source, through kills, and back again."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from bson import ObjectId

from runtime.errors import Duplicate, Misconfigured, ValidationFailed
from runtime.migrations import ByHand, by_hand
from runtime.migrations.related import Acting, Related
from runtime.model.clock import now
from tests.migrations.killed import PACK, hand_runner
from tests.migrations.test_killed import NUMBER, bury, fill, kill
from tests.migrations.versions import Document, Opening

pytestmark = pytest.mark.anyio

Records = list[Document]


async def test_each_record_has_its_own_through_kills(
    opening: Opening, database: Any, mongo_uri: str, keys: Path
) -> None:
    await fill(opening, database)
    async with opening("old"), opening("crated") as new:
        with pytest.raises(Misconfigured, match="1 worker of another version"):
            await hand_runner(new, PACK).run(lambda _count: None)
    async with opening("crated") as new:
        await new.runner().run((), lambda _count: None)
        assert database.crates.count_documents({}) == 0
        await asyncio.to_thread(kill, "pack", mongo_uri, database.name, keys)
        assert database.crates.count_documents({}) == 40
        await hand_runner(new, PACK).run(lambda _count: None)
        check_packed(database)
        await asyncio.to_thread(kill, "unpack", mongo_uri, database.name, keys)
        assert database.crates.count_documents({}) == 2 * (NUMBER - 20)
        with pytest.raises(Misconfigured, match="is being undone"):
            await hand_runner(new, PACK).run(lambda _count: None)
        done = await hand_runner(new, PACK).undo(lambda _count: None)
        assert (done["phase"], done["moved"]) == ("UNDONE", NUMBER)
        assert database.crates.count_documents({}) == 0
        assert {one["tag"] for one in database.parcels.find({})} == {"red"}
        done = await hand_runner(new, PACK).run(lambda _count: None)
        assert (done["phase"], done["moved"]) == ("DONE", NUMBER)
        check_packed(database)
    bury(database)


def check_packed(database: Any) -> None:
    parcels = {one["_id"]: one for one in database.parcels.find({})}
    crates = list(database.crates.find({}))
    firsts = {one["_id"]: one for one in crates if not one["label"].endswith(" lid")}
    assert len(crates) == 2 * NUMBER
    assert firsts.keys() == parcels.keys()
    for record_id, crate in firsts.items():
        parcel = parcels[record_id]
        assert (crate["label"], crate["town"], crate["version"]) == (parcel["refName"], "Rome", 1)
        assert crate["dataDomain"] == parcel["dataDomain"]
        assert crate["auditInfo"]["createdBy"] == "service"
        assert parcel["tag"] == f"red/{crate['label']}"


@pytest.mark.parametrize("hours", [-1, 1], ids=["late", "early"])
async def test_the_clock_of_its_machine_does_not_choose_the_records(
    opening: Opening, database: Any, monkeypatch: pytest.MonkeyPatch, hours: int
) -> None:
    await fill(opening, database)
    async with opening("crated") as new:
        await new.runner().run((), lambda _count: None)
        monkeypatch.setattr(by_hand, "now", lambda: now() + timedelta(hours=hours))
        await hand_runner(new, PACK)._begin()
        later: Any = {**database.parcels.find_one(), "_id": ObjectId(), "refName": "later"}
        later["auditInfo"]["createdDate"] = now() + timedelta(minutes=1)
        database.parcels.insert_one(later)
        done = await hand_runner(new, PACK).run(lambda _count: None)
        assert done["moved"] == NUMBER


async def save_same_label(records: Records, related: Related) -> None:
    for one in records:
        await related.save("Crate", {"label": "same"}, of=one)


async def save_without_label(records: Records, related: Related) -> None:
    await related.save("Crate", {}, of=records[0])


async def save_under_an_id(records: Records, related: Related) -> None:
    await related.save("Crate", {"id": "0" * 24, "label": "x"}, of=records[0])


async def save_for_a_stranger(_records: Records, related: Related) -> None:
    await related.save("Crate", {"label": "x"}, of={"id": "0" * 24})


async def save_elsewhere(records: Records, related: Related) -> None:
    crate = {"label": "x", "dataDomain": {"tenantId": "globex"}}
    await related.save("Crate", crate, of=records[0])


async def save_an_operator(records: Records, related: Related) -> None:
    await related.save("Crate", {"label": {"$gt": ""}}, of=records[0])


@pytest.mark.parametrize(
    ("forward", "error", "text"),
    [
        (save_same_label, Duplicate, "label"),
        (save_without_label, ValidationFailed, "label"),
        (save_under_an_id, Misconfigured, "omit id"),
        (save_for_a_stranger, Misconfigured, "of="),
        (save_elsewhere, Misconfigured, "another tenant"),
        (save_an_operator, ValidationFailed, "label"),
    ],
    ids=lambda one: getattr(one, "__name__", ""),
)
async def test_what_is_refused_leaves_nothing(
    opening: Opening, database: Any, forward: Any, error: type[Exception], text: str
) -> None:
    async with opening("crated") as new:
        await new.save(refName="0", city="Rome")
        await new.save(refName="1", city="Oslo")
        with pytest.raises(error) as caught:
            await hand_runner(new, ByHand("0009_wrong", "Parcel", forward)).run(lambda _count: None)
        assert text in f"{caught.value} {getattr(caught.value, 'message', '')} {vars(caught.value)}"
        assert database.crates.count_documents({}) == 0
        with pytest.raises(Misconfigured, match="no async def backward"):
            await hand_runner(new, ByHand("0009_wrong", "Parcel", forward)).undo(lambda _count: None)


async def test_one_of_another_tenant_is_not_taken_over(opening: Opening, database: Any) -> None:
    async with opening("crated") as new:
        await new.save(refName="0", city="Rome")
        await hand_runner(new, PACK).run(lambda _count: None)
        await hand_runner(new, PACK).undo(lambda _count: None)
        (parcel,) = database.parcels.find({})
        domain = parcel["dataDomain"] | {"tenantId": "globex"}
        database.crates.insert_one({**parcel, "label": "theirs", "dataDomain": domain})
        with pytest.raises(Misconfigured, match="another tenant"):
            await hand_runner(new, PACK).run(lambda _count: None)
        (crate,) = database.crates.find({})
        assert crate["label"] == "theirs"


async def test_a_reference_finds_what_its_own_tenant_has(opening: Opening, database: Any) -> None:
    """Also where records of both tenants are in one batch."""
    ours, theirs, elsewhere = ObjectId(), ObjectId(), ObjectId()
    async with opening("crated") as new:
        await store_crate(new, database, ours, "acme")
        await store_crate(new, database, theirs, "globex")
        await store_crate(new, database, elsewhere, "acme")
        service = new.service
        sources: Records = [
            {
                "_id": ObjectId(),
                "dataDomain": {"tenantId": "acme"},
                "hauliers": [{"entityId": ours}, {"entityId": theirs}],
            },
            {
                "_id": ObjectId(),
                "dataDomain": {"tenantId": "globex"},
                "haulier": {"inner": {"entityId": ours}},
            },
            {"_id": ObjectId(), "dataDomain": {"tenantId": "globex"}},
        ]

        async def find(store: Any, record_id: ObjectId) -> Any:
            related = Related(Acting(service, new.realm, new.realm, "0011_find"), store, sources)
            return await related.find("Crate", of={"entityId": str(record_id)})

        for record_id, said in ((theirs, None), (ours, "two tenants"), (elsewhere, "nor a reference")):
            work = partial(find, record_id=record_id)
            if said is None:
                assert await service.store.transact(work) is None
                continue
            with pytest.raises(Misconfigured, match=said):
                await service.store.transact(work)
        del sources[1]
        found = await service.store.transact(partial(find, record_id=ours))
        assert found["label"] == str(ours)


async def store_crate(new: Any, database: Any, record_id: ObjectId, tenant: str) -> None:
    """Store a crate of a tenant under an id."""
    await new.save(refName=str(record_id), city="Rome")
    (parcel,) = database.parcels.find({"refName": str(record_id)})
    domain = parcel["dataDomain"] | {"tenantId": tenant}
    database.crates.insert_one({**parcel, "_id": record_id, "label": str(record_id), "dataDomain": domain})


async def test_batches_grow_again_behind_a_record_that_others_write(
    opening: Opening, database: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(by_hand, "_BATCH", 20)
    monkeypatch.setattr(by_hand, "_TARGET_SECONDS", 1000)
    sizes: list[int] = []
    calls: dict[str, int] = {}

    await fill(opening, database)
    async with opening("crated") as new:
        await new.runner().run((), lambda _count: None)
        rows = list(database.parcels.find({}, sort=[("_id", 1)]))

        async def meet(records: Records) -> None:
            """Let another writer store the sixth record after each time the batch has read it, but alone."""
            sizes.append(len(records))
            for one in records:
                calls[one["id"]] = calls.get(one["id"], 0) + 1
                one["tag"] = "moved"
            if len(records) > 1 and str(rows[5]["_id"]) in {one["id"] for one in records}:
                database.parcels.update_one({"_id": rows[5]["_id"]}, {"$inc": {"weight": 1}})

        done = await hand_runner(new, ByHand("0009_meet", "Parcel", meet)).run(lambda _count: None)
        assert (done["phase"], done["moved"]) == ("DONE", NUMBER)
    assert {(one["tag"], one["version"]) for one in database.parcels.find({})} == {("moved", 2)}
    assert sizes[:2] == [20, 5]
    assert max(sizes[3:]) > 5
    assert sum(calls.values()) < 4 * NUMBER
