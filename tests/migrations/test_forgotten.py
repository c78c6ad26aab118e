"""A `renamedFrom` that was forgotten at first: its step is due for as long as records may have the former name."""

from __future__ import annotations

import json
from typing import Any

import pytest
from bson import ObjectId

from runtime.errors import Misconfigured
from runtime.migrations import plan_realm, plan_removals, run
from tests.migrations import forgotten
from tests.migrations.killed import wait_for_nothing
from tests.migrations.test_side_by_side import facts
from tests.migrations.versions import Document, Opening, Running

pytestmark = pytest.mark.anyio

assert forgotten.NamedFields  # its versions are among those that can be opened

CITY = "Parcel.city.renamedFrom.town"
INSIDE = {CITY, "Parcel.place.street.renamedFrom.road", "Parcel.lines[].code.renamedFrom.sku"}
OLD: Document = {"town": "Rome", "place": {"road": "A", "zipCode": "1"}, "lines": [{"sku": "X", "amount": 2}]}
NAMED: Document = {
    "city": "Rome", "place": {"street": "A", "zipCode": "1"}, "lines": [{"code": "X", "amount": 2}],
}  # fmt: skip


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait for no writes: each is answered before a phase begins."""
    monkeypatch.setattr(run, "_wait_for_writes", wait_for_nothing)


async def plan(new: Running) -> list[str]:
    return [step for one in await plan_realm(new.keeper, new.realm) for step in one.steps]


async def forget(opening: Opening, **fields: Any) -> Document:
    """Store a record in the old version, then start the one that forgot the former names."""
    async with opening("old") as old:
        record = await old.save(refName="first", **fields)
    async with opening("forgotten") as new:
        assert await plan(new) == []
        await new.save(refName="second", city="Oslo")
    return record


async def run_migration(new: Running) -> Document:
    done: Any = await new.runner().run((), lambda _count: None)
    assert done is not None
    return dict(done)


async def test_a_former_name_that_is_declared_later_is_due(opening: Opening, database: Any) -> None:
    record = await forget(opening, town="Rome")
    async with opening("recalled") as new:
        assert new.keeper.due == 1
        assert await plan(new) == [CITY]
        assert [one.name for one in await plan_removals(new.keeper, new.realm)] == []
        assert (await new.read(record))["city"] == "Rome"
        done = await run_migration(new)
        assert (done["steps"], done["phase"], done["moved"]) == ([CITY], "DONE", 2)
        assert (new.keeper.due, await plan(new)) == (0, [])
    assert sorted(one["city"] for one in database.parcels.find()) == ["Oslo", "Rome"]
    assert database.parcels.count_documents({"town": {"$exists": True}}) == 0
    async with opening("forgotten") as new:  # as without renamedFrom
        assert (await new.read(record))["city"] == "Rome"
        assert (await plan(new), await plan_removals(new.keeper, new.realm)) == ([], [])


@pytest.mark.parametrize(
    ("version", "before", "after"),
    [
        ("recalled", {"town": "Rome"}, {"city": "Rome"}),
        ("recalled and hidden", {}, {"city": "(hidden)"}),
    ],
)
async def test_examples_are_records_in_which_something_changes(
    opening: Opening, version: str, before: Document, after: Document
) -> None:
    async with opening("old") as old:
        await old.save(refName="first", weight=7)
        await old.save(refName="second", town="Rome")
    async with opening(version) as new:
        (planned,) = await plan_realm(new.keeper, new.realm, examples=3)
    assert planned.records == 2
    assert planned.examples == [({"refName": "second", **before}, {"refName": "second", **after})]


async def test_a_former_name_that_is_taken_back_and_declared_again_is_due(opening: Opening) -> None:
    async with opening("old") as old:
        record = await old.save(refName="first", town="Rome")
    for _ in range(2):
        async with opening("recalled") as new:
            assert await plan(new) == [CITY]
            assert (await new.read(record))["city"] == "Rome"
        async with opening("forgotten") as new:
            assert await plan(new) == []
            assert [one.name for one in await plan_removals(new.keeper, new.realm)] == ["Parcel.town.removed"]


async def test_former_names_inside_objects_and_lists_are_due_too(opening: Opening, database: Any) -> None:
    record = await forget(opening, **OLD)
    async with opening("recalled inside") as new:
        assert set(await plan(new)) == INSIDE
        assert facts(await new.read(record)) == NAMED
        assert await new.list("place.street:A && lines.code:X && city:Rome") == ["first"]
        assert (await run_migration(new))["moved"] == 2
        assert facts(await new.read(record)) == NAMED
    stored = database.parcels.find_one({"refName": "first"})
    assert not stored.keys() & {"town"}
    assert (stored["place"], stored["lines"][0].keys()) == (NAMED["place"], {"code", "amount"})
    async with opening("forgotten") as new:
        assert facts(await new.read(record)) == NAMED


async def test_workers_without_the_former_name_lose_no_write(opening: Opening, database: Any) -> None:
    """They and the later version run side by side: what each writes the other reads."""
    record = await forget(opening, **OLD)
    async with opening("forgotten") as before, opening("recalled inside") as new:
        assert database.recordMigrations.find_one({})["phase"] == "EXPAND"
        await new.patch(record, weight=3)
        assert facts(await before.read(record)) == NAMED | {"weight": 3}
        await before.patch(record, city="Nice", place={"street": "B"}, lines=[{"code": "Y"}])
        changed = {"city": "Nice", "place": {"street": "B", "zipCode": "1"}, "lines": [{"code": "Y"}]}
        assert facts(await new.read(record)) == changed | {"weight": 3}
        await before.patch(record, city=None)
        assert "city" not in await new.read(record)
        await before.keeper.refresh()
        done = await run_migration(new)
        await before.patch(record, city="Lyon")
        assert (await new.read(record))["city"] == "Lyon"
        (migration,) = await new.list_migrations()
        undone = await new.runner().undo(migration, lambda _count: None)
        assert (done["phase"], undone["phase"]) == ("DONE", "EXPAND")
        await before.patch(record, city="Bonn", place=None)
        assert facts(await new.read(record)) == {"city": "Bonn", "lines": [{"code": "Y"}], "weight": 3}
        assert (await run_migration(new))["phase"] == "DONE"
        assert facts(await before.read(record)) == {"city": "Bonn", "lines": [{"code": "Y"}], "weight": 3}


async def test_the_shape_of_before_and_after_is_the_same(opening: Opening, database: Any) -> None:
    """It is not among the earlier ones, which may not start again."""
    await forget(opening, town="Rome")
    async with opening("recalled") as new:
        await run_migration(new)
    (noted,) = [one for one in database.storedShapes.find() if one["refName"] == "Parcel"]
    assert (noted["number"], noted["earlier"]) == (2, [])
    assert json.loads(noted["shape"])["removed"] == {"place.road": False, "lines[].sku": False}


async def test_there_is_nothing_to_move_where_no_record_is(opening: Opening, database: Any) -> None:
    async with opening("old"):
        pass
    async with opening("forgotten"):
        pass
    async with opening("recalled") as new:
        assert (new.keeper.due, await plan(new)) == (0, [])
    assert database.recordMigrations.count_documents({}) == 0


async def test_values_of_another_type_are_not_moved(opening: Opening, database: Any) -> None:
    """What was forgotten is also which type the former name had."""
    await forget(opening, town="Rome")
    wrong = {"town": 7, "lines": [{"sku": "X"}, {"sku": True}]}
    database.parcels.insert_many(
        [{**database.parcels.find_one({"refName": "first"}), "_id": ObjectId(), "refName": "wrong", **wrong}]
    )
    stored = list(database.parcels.find())
    sku = "Parcel.lines[].code.renamedFrom.sku"
    async with opening("recalled inside") as new:
        (planned,) = await plan_realm(new.keeper, new.realm)
        assert (planned.misfits, planned.losses) == ({CITY: 1, sku: 1}, {})
        with pytest.raises(Misconfigured, match=f"{CITY} in 1 record.*Declare that field again"):
            await run_migration(new)
        assert list(database.parcels.find()) == stored
        database.parcels.update_one({"refName": "wrong"}, {"$set": {"town": "7", "lines": []}})
        assert (await run_migration(new))["phase"] == "DONE"


OPENED = "Parcel.status.OPEN.renamedFrom.NEW"


async def test_a_former_state_that_is_declared_later_is_due(opening: Opening, database: Any) -> None:
    async with opening("old") as old:
        record = await old.save(refName="first", status="NEW")
    async with opening("state forgotten") as new:
        assert await plan(new) == []
        await new.save(refName="second", status="OPEN")
    async with opening("state recalled") as new:
        assert (new.keeper.due, await plan(new)) == (1, [OPENED])
        assert (await new.read(record))["status"] == "OPEN"
        assert await new.list("status:OPEN") == ["first", "second"]
        done = await run_migration(new)
        assert (done["steps"], done["phase"], done["moved"]) == ([OPENED], "DONE", 2)
        assert (new.keeper.due, await plan(new)) == (0, [])
    assert [one["status"] for one in database.parcels.find()] == ["OPEN", "OPEN"]
    async with opening("state forgotten") as new:
        assert await plan(new) == []


async def test_workers_without_the_former_state_never_meet_it_again(opening: Opening, database: Any) -> None:
    async with opening("old") as old:
        record = await old.save(refName="first", status="NEW")
    async with opening("state forgotten") as before, opening("state recalled") as new:
        assert database.recordMigrations.find_one({})["phase"] == "EXPAND"
        await new.patch(record, town="Rome")
        assert (await before.read(record))["status"] == "OPEN"
        await before.patch(record, status="GONE")
        assert (await new.read(record))["status"] == "GONE"
        await before.patch(record, status="OPEN")
        await before.keeper.refresh()
        assert (await run_migration(new))["phase"] == "DONE"
        assert (await before.read(record))["status"] == "OPEN"
        (migration,) = await new.list_migrations()
        undone = await new.runner().undo(migration, lambda _count: None)
        assert undone["phase"] == "EXPAND"
        assert (await before.read(record))["status"] == "OPEN"
    assert database.parcels.count_documents({"status": "NEW"}) == 0


async def test_a_state_that_is_forgotten_twice_is_due(opening: Opening) -> None:
    async with opening("old") as old:
        await old.save(refName="first", status="NEW")
    for _ in range(2):
        async with opening("state forgotten") as new:
            assert await plan(new) == []
        async with opening("state recalled") as new:
            assert await plan(new) == [OPENED]
