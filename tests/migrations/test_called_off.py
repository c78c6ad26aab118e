"""A release that is called off: commands that read begin nothing, and what has begun can be cancelled."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from pymongo import timeout

from runtime.errors import Misconfigured, StoreUnavailable
from runtime.migrations import Canceller, keeper
from tests.lane.proxy import proxied
from tests.migrations.test_side_by_side import OLD, SEEN_BY_NEW, SEEN_BY_OLD, facts
from tests.migrations.versions import CRATE, Document, Opening, Running, run

pytestmark = pytest.mark.anyio


async def cancel(running: Running) -> Document:
    (migration,) = await running.list_migrations()
    canceller = Canceller(running.keeper, running.realm, running.kind, "operator")
    return dict(await canceller.run(migration, lambda _count: None))


async def test_a_command_that_reads_begins_nothing(opening: Opening, database: Any) -> None:
    async with opening("old") as old:
        record = await old.save(refName="first", **OLD)
        before = database.parcels.find_one({})
        async with opening("new", is_command=True) as reading:
            assert facts(await reading.read(record)) == SEEN_BY_NEW
            assert await reading.list("city:Rome") == ["first"]
            assert reading.keeper.due == 1
            assert database.recordMigrations.count_documents({}) == 0
            assert database.serviceWorkers.count_documents({}) == 1
            with pytest.raises(Misconfigured, match="1 worker of another version"):
                await reading.runner().run((), lambda _count: None)
        assert database.recordMigrations.count_documents({}) == 0
        assert database.parcels.find_one({}) == before


async def test_a_command_announces_itself_once(opening: Opening, database: Any) -> None:
    """Its keeper reads the phases while it begins to take part."""
    async with opening("old") as old:
        await old.save(refName="first", **OLD)
        for _turn in range(5):
            async with opening("new", is_command=True) as taking:
                keeper = taking.keeper
                await asyncio.gather(keeper.take_part(), keeper.refresh(), keeper.take_part())
                assert database.serviceWorkers.count_documents({}) == 2
            assert database.serviceWorkers.count_documents({}) == 1


async def test_an_announcement_whose_answer_is_lost_is_withdrawn(
    opening: Opening, mongo_uri: str, database: Any, keys: Path
) -> None:
    async with opening("old") as old, proxied(mongo_uri) as proxy:
        await old.save(refName="first", **OLD)
        lost = asyncio.Event()

        async def lose(_answer: bytes, _out: asyncio.StreamWriter) -> None:
            lost.set()

        async with run("new", proxy.uri, database.name, keys, is_command=True) as taking:
            proxy.do(lose, mark=b"insert\0\x0f\0\0\0serviceWorkers")
            announcing = asyncio.create_task(taking.keeper.take_part())
            await lost.wait()
            assert database.serviceWorkers.count_documents({}) == 2
            announcing.cancel()
            with pytest.raises(asyncio.CancelledError):
                await announcing
        assert database.serviceWorkers.count_documents({}) == 1


async def test_an_end_does_not_wait_again_for_a_store_that_did_not_answer(
    mongo_uri: str, database: Any, keys: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else this test would take the ten minutes that the service has for a command."""
    monkeypatch.setattr(keeper, "_QUIET_SECONDS", 600)
    monkeypatch.setattr(keeper, "_LAST_SECONDS", 0.01)

    async def lose(_answer: bytes, _out: asyncio.StreamWriter) -> None:
        return

    async with (
        proxied(mongo_uri) as proxy,
        run("new", proxy.uri, database.name, keys, timeout_ms=600_000) as ending,
    ):
        proxy.do(lose, times=1000, mark=b"serviceWorkers")
        with pytest.raises(StoreUnavailable), timeout(0.1):
            await ending.keeper.refresh()


async def test_a_command_that_writes_takes_part(opening: Opening, database: Any) -> None:
    async with opening("old") as old:
        record = await old.save(refName="first", **OLD)
        async with opening("new", is_command=True) as writing:
            await writing.patch(record, city="Oslo")
            assert database.recordMigrations.find_one({})["phase"] == "EXPAND"
            assert database.serviceWorkers.count_documents({}) == 2
            assert facts(await old.read(record)) == SEEN_BY_OLD | {"town": "Oslo"}
            await writing.save(refName="second", city="Bonn")
            assert await old.list("town:Bonn") == ["second"]


async def test_a_simple_rename_begins_with_the_first_write_of_a_command(
    opening: Opening, database: Any
) -> None:
    async with opening("old") as old:
        record = await old.save(refName="first", town="Rome")
        async with opening("simple", is_command=True) as writing:
            assert database.recordMigrations.count_documents({}) == 0
            await writing.patch(record, city="Oslo")
            assert (await old.read(record))["town"] == "Oslo"


async def test_all_first_writes_of_a_command_wait_for_the_migration(opening: Opening, database: Any) -> None:
    async with opening("old") as old:
        await old.save(refName="first", town="Rome")
        async with opening("simple", is_command=True) as writing:
            await asyncio.gather(*(writing.save(refName=name, city="Rome") for name in ("a", "b", "c")))
            assert sorted(await old.list("town:Rome")) == ["a", "b", "c", "first"]


async def test_a_command_takes_part_before_it_writes_what_no_migration_is_due_for(
    opening: Opening, database: Any
) -> None:
    async with opening("old") as old:
        await old.save(refName="first", town="Rome")
        async with opening("crated", is_command=True) as command:
            assert database.serviceWorkers.count_documents({}) == 1
            await replace(command, kind=CRATE).save(refName="crate", label="A")
            assert database.serviceWorkers.count_documents({}) == 2
            assert database.recordMigrations.count_documents({}) == 0


async def test_what_was_stored_without_a_migration_is_brought_back(opening: Opening, database: Any) -> None:
    """Alone, a worker stores a renamed field by its name of now, and begins nothing."""
    async with opening("old") as old:
        await old.save(refName="zeroth", town="Rome")
    async with opening("simple") as simple:
        first = await simple.save(refName="first", city="Rome")
        second = await simple.save(refName="second", city="Rome")
        async with opening("old") as old:
            await simple.keeper.refresh()
            await old.patch(second, town="Nice")
    assert database.recordMigrations.find_one({})["phase"] == "EXPAND"
    async with opening("old") as old:
        async with opening("old", is_command=True) as command:
            with pytest.raises(Misconfigured, match="the version that began it can bring back"):
                await cancel(command)
        async with opening("simple", is_command=True) as command:
            assert (await cancel(command))["phase"] == "UNDONE"
        assert database.parcels.count_documents({"city": {"$exists": True}}) == 0
        assert (await old.read(first))["town"] == "Rome"
        assert (await old.read(second))["town"] == "Nice"
        await old.patch(first, town="Faro")
    async with opening("simple") as simple:
        assert (await simple.read(first))["city"] == "Faro"


async def test_what_has_begun_is_cancelled_next_to_the_earlier_version(
    opening: Opening, database: Any
) -> None:
    async with opening("old") as old:
        first = await old.save(refName="first", **OLD)
        second = await old.save(refName="second", **OLD)
        await old.save(refName="third", **OLD)
        async with opening("new") as new:
            await new.patch(first, city="Oslo", lines=[{"code": "Y", "amount": "3"}], place={"street": "B"})
            await new.patch(second, city="Oslo")
            await old.patch(second, town="Nice")
            await new.save(refName="fourth", city="Bonn", tag=["one", "two"], priority=5)
            async with opening("new", is_command=True) as command:
                with pytest.raises(Misconfigured, match="1 worker of the version that began"):
                    await cancel(command)
            assert database.recordMigrations.find_one({})["phase"] == "EXPAND"
        async with opening("new", is_command=True) as command:
            done = await cancel(command)
            assert (done["phase"], done["startedBy"]) == ("UNDONE", "service")
            assert await cancel(command) == done
        for raw in database.parcels.find({}):
            assert not raw.keys() & {"_spelling", "city"}, raw
            assert "street" not in raw.get("place", {})
            assert "code" not in raw.get("lines", [{}])[0]
        assert await old.list("town:Oslo") == ["first"]
        assert facts(await old.read(first)) == SEEN_BY_OLD | {
            "town": "Oslo", "lines": [{"sku": "Y", "amount": 3}], "place": {"road": "B", "zipCode": "1"},
        }  # fmt: skip
        assert facts(await old.read(second)) == SEEN_BY_OLD | {"town": "Nice"}
        assert database.parcels.count_documents({"town": "Bonn"}) == 1
        await old.patch(first, town="Faro")
        async with opening("new") as again:
            assert database.recordMigrations.find_one({})["phase"] == "EXPAND"
            assert (await again.read(first))["city"] == "Faro"
    async with opening("new") as again:
        moved = await again.runner().run((), lambda _count: None)
        assert moved is not None
        assert (moved["phase"], moved["moved"]) == ("DONE", 4)


@pytest.mark.parametrize("call", [1, 2], ids=["before records are brought back", "after that"])
async def test_a_worker_that_comes_and_goes_meanwhile_leaves_nothing(
    opening: Opening, database: Any, monkeypatch: pytest.MonkeyPatch, call: int
) -> None:
    """What it stored in the spelling of now would be taken for that of a later release of the same number."""
    calls, check = count(1), Canceller._require_called_off

    async def check_and_meet(canceller: Canceller, migration: Any) -> None:
        await check(canceller, migration)
        if next(calls) == call:
            async with opening("new") as new:
                await new.patch(first, city="Oslo")

    monkeypatch.setattr(Canceller, "_require_called_off", check_and_meet)
    async with opening("old") as old:
        first = await old.save(refName="first", **OLD)
        async with opening("new") as new:
            await new.save(refName="second", city="Bonn")
        async with opening("new", is_command=True) as command:
            assert (await cancel(command))["phase"] == "UNDONE"
        assert database.parcels.count_documents({"_spelling": {"$exists": True}}) == 0
        assert facts(await old.read(first)) == SEEN_BY_OLD | {"town": "Oslo"}
        assert await old.list("town:Bonn") == ["second"]


async def test_what_was_left_is_brought_back_by_cancelling_again(
    opening: Opening, database: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def withdraw_nothing(_canceller: Canceller, _spelling: Any, _tell: Any) -> None:
        raise KeyboardInterrupt

    async with opening("old") as old:
        first = await old.save(refName="first", **OLD)
        async with opening("new") as new:
            await new.patch(first, city="Oslo")
        with monkeypatch.context() as patched:
            patched.setattr(Canceller, "_withdraw_all", withdraw_nothing)
            async with opening("new", is_command=True) as command:
                with pytest.raises(KeyboardInterrupt):
                    await cancel(command)
        database.recordMigrations.update_one({}, {"$set": {"phase": "UNDONE"}})
        async with opening("new", is_command=True) as command:
            assert (await cancel(command))["phase"] == "UNDONE"
        assert database.parcels.count_documents({"_spelling": {"$exists": True}}) == 0
        assert facts(await old.read(first)) == SEEN_BY_OLD | {"town": "Oslo"}


@pytest.mark.parametrize("version", ["new", "simple"])
async def test_what_is_moved_is_moved_back(opening: Opening, database: Any, version: str) -> None:
    async with opening("old") as old:
        record = await old.save(refName="first", **OLD)
        before = {**database.parcels.find_one({})}
    async with opening(version) as new:
        done = await new.runner().run((), lambda _count: None)
        assert done is not None
        assert "town" not in database.parcels.find_one({})
    async with opening(version, is_command=True) as command:
        assert (await cancel(command))["phase"] == "UNDONE"
    after = database.parcels.find_one({})
    assert {name: value for name, value in after.items() if name != "priority"} == before
    async with opening("old") as old:
        assert facts(await old.read(record)) == SEEN_BY_OLD
    async with opening(version) as new:
        again = await new.runner().run((), lambda _count: None)
        assert again is not None
        assert (again["phase"], again["moved"]) == ("DONE", 1)


async def test_the_earlier_version_cancels_what_has_moved_nothing(opening: Opening, database: Any) -> None:
    async with opening("old") as old:
        await old.save(refName="first", **OLD)
        async with opening("new"):
            pass
        assert database.recordMigrations.find_one({})["phase"] == "EXPAND"
        async with opening("old", is_command=True) as command:
            assert (await cancel(command))["phase"] == "UNDONE"
        async with opening("new") as new:
            await new.save(refName="second", city="Rome")
        async with opening("old", is_command=True) as command:
            with pytest.raises(Misconfigured, match="the version that began it can bring back"):
                await cancel(command)
        assert database.recordMigrations.find_one({})["phase"] == "EXPAND"
        assert database.parcels.count_documents({"_spelling.of": 2}) == 1


async def test_what_has_lost_values_is_not_cancelled(opening: Opening, database: Any) -> None:
    async with opening("old") as old:
        await old.save(refName="first", status="GONE")
    async with opening("narrow") as narrow:
        await narrow.runner().run(["Parcel.status.to-enum"], lambda _count: None)
    async with opening("narrow", is_command=True) as command:
        with pytest.raises(Misconfigured, match="it has lost values"):
            await cancel(command)
    assert database.recordMigrations.find_one({})["phase"] == "DONE"
