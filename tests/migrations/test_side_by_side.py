"""Two versions of a service on one realm: what one writes the other reads, before, during and after a migration."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from runtime.access.guard import allow
from runtime.errors import Denied, Misconfigured, NotFound, UnknownField
from runtime.filter import equals
from runtime.migrations.force import find_force
from runtime.migrations.notes import Noted
from runtime.permissions import Rule
from runtime.spelling import fingerprint
from runtime.storage.access import Action
from runtime.storage.store import Changes
from tests.migrations.versions import NEW_SHAPE, OLD_SHAPE, VERSIONS, Document, Opening, Running

pytestmark = pytest.mark.anyio

OLD: Document = {
    "town": "Rome", "place": {"road": "Via A", "zipCode": "1"}, "lines": [{"sku": "X", "amount": 2}],
    "weight": 7, "tag": "red", "status": "NEW", "secret": "s",
}  # fmt: skip
SEEN_BY_OLD = {name: value for name, value in OLD.items() if name != "secret"}
SEEN_BY_NEW: Document = {
    "city": "Rome", "place": {"street": "Via A", "zipCode": "1"}, "lines": [{"code": "X", "amount": "2"}],
    "weight": "7", "tag": ["red"], "status": "OPEN", "priority": 3,
}  # fmt: skip


@pytest.fixture
async def both(opening: Opening) -> AsyncIterator[tuple[Running, Running]]:
    """An old worker with a record, and a new one that starts next to it."""
    async with opening("old") as old:
        await old.save(refName="first", **OLD)
        async with opening("new") as new:
            yield old, new


def facts(record: Document, *without: str) -> Document:
    return {
        name: value for name, value in record.items() if name not in ("id", "refName", "version", *without)
    }


async def test_each_reads_what_the_other_writes(both: tuple[Running, Running], database: Any) -> None:
    old, new = both
    (first,) = database.parcels.find({})
    record = {"id": str(first["_id"])}
    assert facts(await new.read(record)) == SEEN_BY_NEW
    assert database.parcels.find_one({}) == first  # reading moved nothing

    changed = await new.patch(record, city="Oslo", tag=["blue"], place={"street": "Via B"}, priority=5)
    assert facts(changed) == SEEN_BY_NEW | {
        "city": "Oslo", "tag": ["blue"], "priority": 5, "place": {"street": "Via B", "zipCode": "1"},
    }  # fmt: skip
    assert facts(await old.read(record)) == SEEN_BY_OLD | {
        "town": "Oslo", "tag": "blue", "place": {"road": "Via B", "zipCode": "1"},
    }  # fmt: skip

    await old.patch(record, town=None, weight=8, place={"road": None}, lines=[{"sku": "Y"}])
    assert facts(await new.read(record)) == {
        "place": {"zipCode": "1"}, "lines": [{"code": "Y"}], "weight": "8", "tag": ["blue"], "status": "OPEN",
        "priority": 5,
    }  # fmt: skip
    made = await new.save(refName="second", city="Bonn", lines=[{"code": "Z", "amount": "3"}], status="OPEN")
    assert facts(await old.read(made)) == {
        "town": "Bonn", "lines": [{"sku": "Z", "amount": 3}], "status": "NEW",
    }  # fmt: skip
    saved = await old.save(refName="third", **OLD)
    assert facts(await new.read(saved)) == SEEN_BY_NEW


QUERIES = [
    *("city:Rome", "city:!Rome", "city:null", "!!(city:Rome)", "place.street:~", "lines.code:X", "city:R*"),
    *("lines:{code:X && amount:>1}", "weight:>7", "weight:7", "tag:red", "tag:^[red,blue]", "status:OPEN"),
    *("status:!OPEN", "priority:3", "priority:>3", "city:Rome || weight:9", "!!(status:OPEN && city:Rome)"),
    *("place.zipCode:1", "refName:a*", "city:Rome && refName:*"),
]


async def test_queries_find_records_in_every_spelling(opening: Opening, database: Any) -> None:
    """As they do when all are moved."""
    async with opening("old") as old:
        for number, town in enumerate(["Rome", "Oslo", "", "Rome"]):
            place = {"road": f"Via {number}", "zipCode": str(number % 2)} if number != 1 else None
            body = OLD | {"town": town or None, "weight": 6 + number, "place": place}
            await old.save(
                refName=f"{'abab'[number]}{number}", **body | ({"status": "GONE"} if number == 1 else {})
            )
        async with opening("new") as new:
            await new.save(
                refName="c1", city="Rome", weight="7", tag=["red"], status="OPEN", lines=[{"code": "X"}]
            )
            await new.save(refName="c2", city="Faro", priority=9, status="GONE")
            (stale,) = database.parcels.find({"refName": "a0"})
            await new.patch({"id": str(stale["_id"])}, city="Bonn")
            await old.patch({"id": str(stale["_id"])}, town="Rome")
            mixed = await answers(new)
    async with opening("new") as new:
        assert await answers(new) == mixed
        assert (await new.runner().run((), lambda _count: None) or {})["phase"] == "DONE"
        assert await answers(new) == mixed
    assert sum(map(bool, mixed.values())) > len(QUERIES) // 2
    for raw in database.parcels.find({}):
        assert not raw.keys() & {"town"}, raw
        assert "road" not in raw.get("place", {})
        assert raw["_spelling"] == {"of": 2}


async def answers(new: Running) -> dict[str, Any]:
    found: dict[str, Any] = {text: sorted(await new.list(text)) for text in QUERIES}
    assert {text: await new.count(text) for text in QUERIES} == {text: len(found[text]) for text in QUERIES}
    return found | {
        sort: await new.list(sort=sort) for sort in ("city,refName", "-weight,refName", "refName")
    }


DENIED = Rule("rome is secret", allows=False, priority=50, filter="city:Rome", domain="parcel")
ALONE = Rule("oslo alone", allows=False, priority=50, filter="city:!Oslo", domain="parcel")


@pytest.mark.parametrize("rule", [DENIED, ALONE])
async def test_rules_hold_for_records_in_every_spelling(opening: Opening, database: Any, rule: Rule) -> None:
    async with opening("old") as old:
        record = await old.save(refName="first", **OLD)
        async with opening("new", rule) as new:
            await check_denied(new, record)
            async with opening("new") as other:
                await other.patch(record, city="Oslo")
                assert await new.list() == ["first"]
                await other.patch(record, city="Rome")
            await check_denied(new, record)
            await old.patch(record, town="Oslo")
            assert await new.list() == ["first"]
            await old.patch(record, town="Rome")
            await check_denied(new, record)
    assert database.parcels.find_one({})["town"] == "Rome"


async def check_denied(new: Running, record: Document) -> None:
    assert await new.list() == []
    assert await new.count("refName:*") == 0
    with pytest.raises(NotFound):
        await new.read(record)
    with pytest.raises(NotFound):
        await new.patch(record, priority=1)


async def test_writes_lose_nothing_whose_loss_nobody_has_accepted(opening: Opening, database: Any) -> None:
    async with opening("old") as old:
        gone = await old.save(refName="gone", weight=7, status="GONE")
        await old.save(refName="other", weight=7, status="GONE")
        async with opening("narrow") as narrow:
            assert "status" not in await narrow.read(gone)
            await narrow.patch(gone, weight=8)
            access = allow(await narrow.call(), narrow.kind, Action.UPDATE)
            await narrow.service.store.update_many(access, equals(weight=7), Changes(set={"weight": 9}))
            rows = [await old.read({"id": str(one["_id"])}) for one in database.parcels.find({})]
            assert [(row["weight"], row["status"]) for row in rows] == [(8, "GONE"), (9, "GONE")]
            await narrow.patch(gone, status="NEW")
            assert (await old.read(gone))["status"] == (await narrow.read(gone))["status"] == "NEW"


async def test_a_migration_waits_for_old_workers(both: tuple[Running, Running], database: Any) -> None:
    old, new = both
    with pytest.raises(Misconfigured, match="1 worker of another version"):
        await new.runner().run((), lambda _count: None)
    assert database.recordMigrations.find_one({})["phase"] == "EXPAND"
    assert facts(await old.read({"id": str(database.parcels.find_one({})["_id"])})) == SEEN_BY_OLD


def test_a_refusal_names_the_record_type_as_its_specification_does() -> None:
    kind, shape = replace(VERSIONS["old"][0], title="Packet"), OLD_SHAPE["Parcel"]
    noted = Noted(2, NEW_SHAPE["Parcel"], (fingerprint(shape),))
    with pytest.raises(Misconfigured, match=r"^Packet: the migration Parcel\.2 has moved its records"):
        find_force(kind, shape, noted, None, is_alone=True)


async def test_a_version_of_before_cannot_start_on_moved_records(opening: Opening, database: Any) -> None:
    async with opening("old") as old:
        record = await old.save(refName="first", **OLD)
    async with opening("new") as new:
        done = await new.runner().run((), lambda _count: None)
        assert done is not None
        assert (done["moved"], done["checked"], done["startedBy"]) == (1, 1, "operator")
        assert new.service.store.spellings.find((new.realm, "parcels")) is not None
        assert not new.service.store.spellings.table[new.realm, "parcels"].steps
        assert await new.runner().run((), lambda _count: None) is None
        assert facts(await new.read(record)) == SEEN_BY_NEW
    with pytest.raises(Misconfigured, match="has moved its records to a later shape"):
        async with opening("old"):
            pass
    async with opening("new") as new:
        await new.patch(record, city="Faro", tag=["one", "two"], weight="2")
        undone = await new.runner().undo(done, lambda _count: None)
        assert (undone["phase"], undone["moved"], undone["checked"]) == ("EXPAND", 1, 1)
        assert (await new.read(record))["tag"] == ["one", "two"]
        async with opening("old") as old:
            shown = await old.read(record)
            assert (shown["town"], shown["place"], shown["status"]) == ("Faro", OLD["place"], "NEW")
            await old.patch(record, town="Nice", tag="red")
        assert ((await new.read(record))["city"], (await new.read(record))["tag"]) == ("Nice", ["red"])
        again = await new.runner().run((), lambda _count: None)
        assert again is not None
        assert (again["phase"], again["moved"], again["checked"]) == ("DONE", 1, 1)
        assert facts(await new.read(record), "weight") == {
            name: value for name, value in (SEEN_BY_NEW | {"city": "Nice"}).items() if name != "weight"
        }


async def test_a_simple_rename_begins_when_it_has_to(opening: Opening, database: Any) -> None:
    """Without an old worker reads and writes need no migration; `migrate run` moves what is left."""
    async with opening("old") as old:
        for name in ("first", "second"):
            await old.save(refName=name, town="Rome")
    async with opening("simple") as simple:
        assert simple.keeper.due == 1
        assert database.recordMigrations.count_documents({}) == 0
        record = {"id": str(database.parcels.find_one({"refName": "first"})["_id"])}
        await simple.patch(record, city="Oslo")
        assert "town" not in database.parcels.find_one({"refName": "first"})
        done = await simple.runner().run((), lambda _count: None)
        assert done is not None
        assert done["steps"] == ["Parcel.city.renamedFrom.town"]
        assert (done["moved"], done["checked"]) == (2, 2)  # one by operators, one has the name of now already
        assert sorted([await simple.list("city:Rome"), await simple.list("city:Oslo")]) == [
            ["first"],
            ["second"],
        ]
        assert simple.keeper.due == 0


async def test_rules_that_name_former_fields_fail_closed(opening: Opening) -> None:
    """One that withholds `town` withholds `city`; one about records where `town` is Rome cannot be decided."""
    withholding = Rule("no towns", priority=50, hidden=frozenset({"town"}), domain="parcel")
    denying = Rule("no Rome", allows=False, priority=60, filter="town:Rome", domain="parcel")
    allowing = Rule("Rome alone", is_final=True, priority=5, filter="town:Rome", domain="parcel")
    async with opening("old") as old:
        record = await old.save(refName="first", town="Rome", status="NEW")
    async with opening("new", withholding) as new:
        assert facts(await new.read(record)) == {"status": "OPEN", "priority": 3}
        with pytest.raises(UnknownField):
            await new.list("city:Rome")
        await new.patch(record, priority=4)
    for rule in (denying, allowing):
        async with opening("new", rule) as new:
            seen = await try_list(new)
            assert seen == ([] if rule is denying else ["first"])
    async with opening("new") as new:
        assert (await new.read(record))["city"] == "Rome"


async def try_list(new: Running) -> list[str]:
    try:
        return await new.list()
    except Denied:
        return []


async def test_a_realm_without_records_has_nothing_to_migrate(opening: Opening, database: Any) -> None:
    async with opening("old"):
        pass
    async with opening("new") as new:
        assert new.keeper.due == 0
        made = await new.save(refName="first", city="Rome")
        assert facts(await new.read(made)) == {"city": "Rome", "priority": 3}
    assert database.recordMigrations.count_documents({}) == 0
    assert "_spelling" not in database.parcels.find_one({})


async def test_records_that_a_backup_brought_back_are_migrated_again(opening: Opening, database: Any) -> None:
    """Restored are records and the note of their shape, not what is noted of migrations."""
    kept = ("parcels", "storedShapes")
    async with opening("old") as old:
        await old.save(refName="one", town="Rome")
    backup = {name: list(database[name].find({})) for name in kept}
    async with opening("new") as new:
        await new.runner().run((), lambda _count: None)
    for name in kept:
        database[name].delete_many({})
        database[name].insert_many(backup[name])
    async with opening("old") as old, opening("new") as new:
        (noted,) = await new.list_migrations()
        assert (noted["phase"], noted["moved"], "finishedDate" in noted) == ("EXPAND", 0, False)
        await new.keeper.refresh()
        await new.save(refName="two", city="Oslo")
        assert await old.count("town:Rome") == await new.count("city:Rome") == 1
    async with opening("new") as new:
        done = await new.runner().run((), lambda _count: None)
        assert done is not None
        assert (done["phase"], done["moved"]) == ("DONE", 2)
        assert await new.count("city:*") == 2
