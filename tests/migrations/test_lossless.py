"""Values that a new version cannot hold: as long as nobody accepts their loss they outlive every write of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from copy import deepcopy
from typing import Any

import orjson
import pytest

from runtime import records
from runtime.access.guard import allow
from runtime.contract.imports import ImportParameters
from runtime.contract.pages import ListParameters
from runtime.contract.writes import Bulk, BulkOperation, BulkSet
from runtime.errors import Misconfigured
from runtime.filter import EVERYTHING, equals, none_of
from runtime.migrations import Runner
from runtime.spelling import Spelling, fingerprint
from runtime.storage.access import Action
from runtime.storage.store import Changes
from runtime.storage.store.commands import Commands
from runtime.transfer import import_csv
from tests.migrations import lossy
from tests.migrations.versions import VERSIONS, Document, Opening, Running, own

pytestmark = pytest.mark.anyio

STORED: Document = {
    "status": "GONE", "size": "L", "code": "x1", "place": {"road": "Via A", "zipCode": "00-1"},
    "lines": [{"sku": "X", "kind": "B"}, {"sku": "Y", "kind": "A"}, {"sku": "W"}],
    "marks": ["R", "G", "R"], "grades": {"a": "G", "b": "R"}, "routes": {"n": {"sku": "N", "kind": "B"}},
    "weight": 7,
}  # fmt: skip
SHOWN: Document = {
    "size": "S", "place": {"road": "Via A"},
    "lines": [{"sku": "X", "amount": 2}, {"sku": "Y", "kind": "A", "amount": 2}, {"sku": "W", "amount": 2}],
    "marks": ["R", "R"], "grades": {"b": "R"}, "routes": {"n": {"sku": "N", "amount": 2}}, "weight": 7,
}  # fmt: skip
assert lossy.TIGHT_SHAPE  # its versions are among those that can be opened


def facts(record: Document) -> Document:
    return {name: value for name, value in record.items() if name not in ("id", "refName", "version")}


@pytest.fixture
async def both(opening: Opening) -> AsyncIterator[tuple[Running, Running, Document]]:
    async with opening("wide") as old:
        record = await old.save(refName="first", **STORED)
        async with opening("tight") as new:
            yield old, new, record


Both = tuple[Running, Running, Document]

WRITES: dict[str, tuple[Document, Document]] = {
    "another field": ({"weight": 8}, {"weight": 8}),
    "null for what is not shown": ({"state": None, "code": None}, {}),
    "what is shown": ({name: value for name, value in SHOWN.items() if name != "place"}, {}),
    "another value": (
        {"state": "NEW", "size": None, "marks": ["R"]},
        {"status": "NEW", "size": None, "marks": ["R"]},
    ),
    "next to it, inside": (
        {"place": {"road": "Via B"}, "grades": {"b": "R", "c": "R"}, "routes": {"n": {"sku": "M", "amount": 2}}},
        {
            "place": {"road": "Via B", "zipCode": "00-1"}, "grades": {"a": "G", "b": "R", "c": "R"},
            "routes": {"n": {"sku": "M", "kind": "B"}},
        },
    ),
    "instead of it, inside": (
        {"grades": {"a": "R"}, "routes": {"n": {"kind": "A"}}},
        {"grades": {"a": "R", "b": "R"}, "routes": {"n": {"sku": "N", "kind": "A"}}},
    ),
    "around it": ({"place": None, "routes": None}, {"place": None, "routes": None}),
    "items in another order": (
        {"lines": [{"sku": "Z"}, SHOWN["lines"][1], SHOWN["lines"][0]]},
        {"lines": [{"sku": "Z"}, {"sku": "Y", "kind": "A"}, {"sku": "X", "kind": "B"}]},
    ),
    "another item": (
        {"lines": [{"sku": "X", "amount": 3}, *SHOWN["lines"][1:]]},
        {"lines": [{"sku": "X"}, {"sku": "Y", "kind": "A"}, {"sku": "W"}]},
    ),
    "fewer items": ({"lines": SHOWN["lines"][:1]}, {"lines": [{"sku": "X", "kind": "B"}]}),
}  # fmt: skip
"""What is sent by a client of the new version, and what then differs for one of the earlier version."""


def apply(stored: Document, changed: Document) -> Document:
    return {name: value for name, value in {**stored, **changed}.items() if value is not None}


async def test_writes_change_what_they_are_about(both: Both) -> None:
    old, new, _record = both
    for name, (sent, changed) in WRITES.items():
        record = await old.save(refName=name, **STORED)
        assert facts(await new.read(record)) == SHOWN
        written = await new.patch(record, **deepcopy(sent))
        expected = apply(STORED, changed)
        assert facts(await old.read(record)) == expected, name
        assert await new.read(record) == written
        again = await new.patch(record, weight=9)  # a second time nothing else is lost either
        assert again == written | {"weight": 9, "version": again["version"]}
        assert facts(await old.read(record)) == expected | {"weight": 9}, name
        await old.patch(record, status="GONE", weight=10)
        assert (await new.patch(record, weight=11)).get("state") is None
        assert (await old.read(record))["status"] == "GONE"


async def test_a_save_of_what_was_read_keeps_everything(both: Both) -> None:
    old, new, record = both
    read = await new.read(record)
    await new.save(**read | {"weight": 8})
    assert facts(await old.read(record)) == STORED | {"weight": 8}
    await old.patch(record, marks=["G"], grades={"a": "G"})
    assert (await new.read(record))["marks"] == []
    await new.save(**await new.read(record) | {"weight": 9})
    assert facts(await old.read(record)) == STORED | {"weight": 9, "marks": ["G"]}


async def fill(old: Running, database: Any, number: int) -> None:
    """Store copies of one record."""
    made = await old.save(refName="model", **STORED)
    (raw,) = database.parcels.find({"refName": "model"})
    database.parcels.insert_many(
        [
            raw | {"_id": type(raw["_id"])(), "refName": f"p{n:04}", "displayName": f"p{n:04}"}
            for n in range(number)
        ]
    )
    database.parcels.delete_one({"_id": raw["_id"]})
    assert made["refName"] == "model"


def count_whole(database: Any, **more: Any) -> int:
    """Count the records that hold all that the new version cannot."""
    lines = [{"$elemMatch": {"sku": "X", "kind": "B"}}]
    whole = {
        "status": "GONE", "size": "L", "code": "x1", "place.zipCode": "00-1", "marks": "G", "grades.a": "G",
        "routes.n.kind": "B", "lines": lines[0],
    }  # fmt: skip
    return int(database.parcels.count_documents({**whole, **more}))


async def rewrite_all(new: Running, database: Any, *, atomic: bool) -> None:
    """Save all records as they are read but for their weight, in one request."""
    names = [one["refName"] for one in database.parcels.find({}, {"refName": 1})]
    rows = orjson.loads(
        (await records.list_records(await new.call(), new.kind, ListParameters(limit=1000))).body
    )["rows"]
    assert len(rows) == len(names)
    saves = [BulkOperation(op="save", record=own(row) | {"weight": 10}) for row in rows]
    answer = await records.run_bulk(await new.call(), new.kind, Bulk(operations=saves, atomic=atomic))
    assert {one["status"] for one in orjson.loads(answer.body)["results"]} == {200}


async def import_all(new: Running, database: Any) -> None:
    rows = "".join(f"{one['refName']},11\n" for one in database.parcels.find({}, {"refName": 1}))

    async def read() -> AsyncIterator[bytes]:
        yield f"refName,weight\n{rows}".encode()

    query = ImportParameters.model_validate({"requestedColumns": "refName,weight"})
    answer = orjson.loads((await import_csv(await new.call(), new.kind, query, read())).body)
    assert (answer["updateCount"], answer["failedCount"]) == (rows.count("\n"), 0)


async def test_writes_of_a_thousand_records(
    opening: Opening, database: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In few commands, whose number does not grow with the records, and without reading them out."""
    async with opening("wide") as old:
        await fill(old, database, 1000)
        async with opening("tight") as new:
            access = allow(await new.call(), new.kind, Action.UPDATE)
            sent, command = Counter[str](), Commands._command

            def count(self: Commands, to: Any) -> Any:
                sent[to.kind.name] += 1
                return command(self, to)

            monkeypatch.setattr(Commands, "_command", count)
            changed = await new.service.store.update_many(access, EVERYTHING, Changes(set={"weight": 8}))
            assert (changed, count_whole(database, weight=8)) == (1000, 1000)
            assert sent["Parcel"] == 4  # which ones, convert, write, share
            await import_all(new, database)
            assert count_whole(database, weight=11) == 1000
            assert sent["Parcel"] < 80
            database.parcels.delete_many({"refName": {"$gte": "p0010"}})
            for number, atomic in enumerate((True, False)):
                body = BulkSet(filter="refName:*", values={"weight": 12 + number}, atomic=atomic)
                await records.run_bulk_set(await new.call(), new.kind, body)
                assert count_whole(database, weight=12 + number) == 10
                await rewrite_all(new, database, atomic=atomic)
                assert count_whole(database, weight=10) == 10
            assert database.parcels.count_documents({"_spelling.was": {"$exists": True}}) == 0


async def test_a_write_that_fails_between_two_commands_changes_nothing(
    both: Both, database: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    old, new, record = both
    (before,) = database.parcels.find({})
    for broken in ("sharing", "settled"):
        with monkeypatch.context() as patched:
            patched.setattr(Spelling, broken, property(lambda _self: 1 / 0))
            with pytest.raises(ZeroDivisionError):
                await new.patch(record, weight=8)
        assert list(database.parcels.find({})) == [before]
    await new.patch(record, weight=8)
    assert facts(await old.read(record)) == STORED | {"weight": 8}


async def test_a_removal_takes_what_it_is_about(both: Both, database: Any) -> None:
    """Also where a condition needs records in the shape of now, and converts more than it removes."""
    old, new, record = both
    await old.save(refName="second", **STORED | {"status": "NEW"})
    access = allow(await new.call(), new.kind, Action.DELETE)
    assert await new.service.store.delete_many(access, equals(state="NEW")) == 1
    assert facts(await old.read(record)) == STORED
    assert await new.service.store.delete_many(access, none_of([equals(state="NEW")])) == 1
    assert database.parcels.count_documents({}) == 0


async def test_a_loss_is_refused_until_it_is_accepted(opening: Opening, database: Any) -> None:
    async with opening("wide") as old:
        await fill(old, database, 3)
    async with opening("tight") as new:
        access = allow(await new.call(), new.kind, Action.UPDATE)
        await new.service.store.update_many(access, equals(refName="p0000"), Changes(set={"weight": 8}))
        with pytest.raises(Misconfigured, match="values would be lost") as refused:
            await new.runner().run((), lambda _count: None)
        assert "Parcel.state.to-enum in 3 records" in str(refused.value)
        assert count_whole(database) == 3
    async with opening("wide") as old:  # the version before can still be had back, with all values
        assert facts(
            await old.read({"id": str(database.parcels.find_one({"weight": 8})["_id"])})
        ) == STORED | {"weight": 8}
    async with opening("tight") as new:
        names = [one.name for one in new.keeper.found[new.realm, "Parcel"].steps if one.loses]
        done = await new.runner().run(names, lambda _count: None)
        assert done is not None
        assert (done["phase"], done["moved"], sorted(done["acceptedLoss"])) == ("DONE", 3, sorted(names))
        assert count_whole(database) == 0
        seen = [facts(own(row)) for row in await list_all(new)]
        assert seen == [SHOWN | {"weight": 8}, SHOWN, SHOWN]
        with pytest.raises(Misconfigured, match="cannot be undone"):
            await new.runner().undo(done, lambda _count: None)


async def list_all(running: Running) -> list[Document]:
    query = ListParameters(sort="refName")
    rows: list[Document] = orjson.loads(
        (await records.list_records(await running.call(), running.kind, query)).body
    )["rows"]
    return rows


@pytest.mark.parametrize("versions", [("wide", "tight"), ("old", "simple")])
async def test_workers_that_start_together_lose_nothing(opening: Opening, versions: tuple[str, str]) -> None:
    """Each sees the other, which must not keep them from storing what the earlier version reads."""
    former, later = versions
    town, city = ("status", "state") if later == "tight" else ("town", "city")
    label = f"Parcel {fingerprint(VERSIONS[later][1]['Parcel'])}"
    async with opening(former) as old:
        record = await old.save(refName="first", weight=7, **{town: "NEW"})
        await old.keeper.notes.announce("peer", [label], [])
        async with opening(later) as new:
            await new.patch(record, weight=20)
            assert (await old.read(record)).items() >= {"weight": 20, town: "NEW"}.items()
            await old.patch(record, **{town: "GONE"})
            read = await new.read(record)
            assert read.get(city) == (None if later == "tight" else "GONE")


async def test_a_rename_waits_for_workers_that_do_without_a_migration(opening: Opening) -> None:
    """They read both names, and cannot tell which of them was written last."""
    label = f"Parcel {fingerprint(VERSIONS['simple'][1]['Parcel'])}"
    async with opening("old") as old:
        await old.save(refName="first", town="Rome")
    async with opening("simple") as first:
        workers = await first.keeper.notes.read_workers()
        (seen,) = [one["seen"] for one in workers if label in one["shapes"]]
        assert seen == [f"Parcel.2@{first.realm}:NONE"]
        await first.keeper.notes.announce("peer", [label], seen)
        await first.keeper.notes.announce("earlier", ["Parcel of before"], [])
        await first.keeper.refresh()
        (noted,) = await first.list_migrations()
        assert noted["phase"] == "PREPARE"
        workers = await first.keeper.notes.read_workers()
        assert [one["seen"] for one in workers if one["refName"] == first.keeper.settling.worker] != [seen]


async def test_a_run_that_meets_an_earlier_version_goes_back(
    opening: Opening, database: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It starts while the run begins to move: writes go on storing both spellings."""
    async with opening("wide") as old:
        record = await old.save(refName="first", **STORED | {"status": "NEW"})
    async with opening("tight") as new:
        names = [one.name for one in new.keeper.found[new.realm, "Parcel"].steps if one.loses]
        enter = Runner._enter

        async def start_earlier(self: Runner, migration: Any, values: Document, *unset: str) -> Any:
            entered = await enter(self, migration, values, *unset)
            await new.keeper.notes.announce("earlier", ["Parcel of before"], [])
            return entered

        monkeypatch.setattr(Runner, "_enter", start_earlier)
        with pytest.raises(Misconfigured, match="1 worker of another version"):
            await new.runner().run(names, lambda _count: None)
        (noted,) = await new.list_migrations()
        assert (noted["phase"], noted.get("acceptedLoss")) == ("EXPAND", None)
        await new.patch(record, weight=8)
        raw = database.parcels.find_one({})
        assert (raw["status"], raw["state"], raw["code"], raw["weight"]) == ("NEW", "NEW", "x1", 8)


async def test_members_that_were_removed_outlive_writes_of_what_is_around_them(opening: Opening) -> None:
    """Inside objects, and in lists and maps as long as these are sent as they were read."""
    stored = {name: STORED[name] for name in ("place", "lines", "routes", "weight")}
    async with opening("wide") as old, opening("slim") as slim:
        record = await old.save(refName="first", **stored)
        read = await slim.read(record)
        assert facts(read) == {
            "place": {"road": "Via A"}, "lines": [{"sku": "X"}, {"sku": "Y"}, {"sku": "W"}],
            "routes": {"n": {"sku": "N"}}, "weight": 7,
        }  # fmt: skip
        await slim.save(**read | {"weight": 8})
        assert facts(await old.read(record)) == stored | {"weight": 8}
        read = await slim.read(record)
        await slim.save(**read | {"place": {"road": "Via B"}, "lines": read["lines"][:2]})
        seen = facts(await old.read(record))
        assert (seen["place"], seen["routes"]) == ({"road": "Via B", "zipCode": "00-1"}, stored["routes"])
        assert seen["lines"] == [{"sku": "X"}, {"sku": "Y"}]


async def test_what_comes_after_an_undo_is_kept_too(opening: Opening) -> None:
    """A step that could lose something has lost nothing yet, so it is undone; then there is something to lose."""
    fitting = {
        "status": "NEW", "size": "S", "place": {"road": "Via A"}, "marks": ["R"], "grades": {"b": "R"},
        "lines": [{"sku": "X", "kind": "A"}], "routes": {"n": {"sku": "N", "kind": "A"}}, "weight": 7,
    }  # fmt: skip
    async with opening("wide") as old:
        record = await old.save(refName="first", **fitting)
    async with opening("tight") as new:
        done = await new.runner().run((), lambda _count: None)
        assert done is not None
        assert (done["phase"], done["acceptedLoss"]) == ("DONE", [])
        await new.patch(record, weight=8)
        undone = await new.runner().undo(done, lambda _count: None)
        assert undone["phase"] == "EXPAND"
        async with opening("wide") as old:
            assert facts(await old.read(record)) == fitting | {"weight": 8}
            await old.patch(record, **STORED)
            await new.patch(record, weight=9)
            seen = facts(await old.read(record))
            assert {name: seen[name] for name in STORED} == STORED | {"weight": 9}
            with pytest.raises(Misconfigured, match="1 worker of another version"):
                await new.runner().run((), lambda _count: None)
        with pytest.raises(Misconfigured, match="values would be lost"):
            await new.runner().run((), lambda _count: None)
        await new.patch(record, weight=10)
    async with opening("wide") as old:
        seen = facts(await old.read(record))
        assert {name: seen[name] for name in STORED} == STORED | {"weight": 10}
