"""Migrations that are killed in the middle: the next run goes on, and each record is moved exactly once."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import pytest

from runtime.errors import StoreUnavailable
from runtime.migrations import ByHand, by_hand
from tests.forked import start_command
from tests.migrations.killed import double, hand_runner
from tests.migrations.versions import Opening

pytestmark = pytest.mark.anyio
NUMBER = 35


def kill(what: str, uri: str, realm: str, keys: Path) -> None:
    """Run a process that kills itself in the middle."""
    words, module = (uri, realm, str(keys), what), "tests.migrations.killed"
    with TemporaryFile() as log:
        process = start_command(*words, module=module, env=dict(os.environ), stderr=log)
        assert process.stdout is not None
        with process.stdout:
            code = process.wait(timeout=60)
        log.seek(0)
        assert code == -signal.SIGKILL, log.read()[-2000:]


async def fill(opening: Opening, database: Any) -> None:
    """Store records as the old version does."""
    async with opening("old") as old:
        one = await old.save(refName="0", town="Rome", weight=0, tag="red", status="NEW")
    (stored,) = database.parcels.find({})
    del stored["_id"]
    database.parcels.insert_many(
        [{**stored, "refName": str(number), "weight": number} for number in range(1, NUMBER)]
    )
    assert one["version"] == 1


def bury(database: Any) -> None:
    """Take the workers that were killed for dead at once."""
    database.serviceWorkers.delete_many({})


async def test_a_killed_move_goes_on(opening: Opening, database: Any, mongo_uri: str, keys: Path) -> None:
    await fill(opening, database)
    kill("run", mongo_uri, database.name, keys)
    bury(database)
    (noted,) = database.recordMigrations.find({})
    assert (noted["phase"], noted["moved"]) == ("MOVE", 20)
    assert database.parcels.count_documents({"_spelling": {"of": 2}}) == 20
    assert database.parcels.count_documents({"town": "Rome"}) == NUMBER - 20
    async with opening("new") as new:
        assert await new.count("city:Rome && status:OPEN && priority:3 && tag:red") == NUMBER
        done = await new.runner().run((), lambda _count: None)
        assert done is not None
        assert (done["phase"], done["moved"], done["checked"]) == ("DONE", NUMBER, NUMBER)
        assert await new.count("city:Rome && status:OPEN && priority:3 && tag:red") == NUMBER
        await asyncio.to_thread(kill, "undo", mongo_uri, database.name, keys)
        await new.keeper.refresh()
        assert await new.count("city:Rome && status:OPEN && priority:3 && tag:red") == NUMBER
    bury(database)
    (noted,) = database.recordMigrations.find({})
    assert noted["phase"] == "SHARE"
    async with opening("new") as new:
        (migration,) = await new.list_migrations()
        undone = await new.runner().undo(migration, lambda _count: None)
        assert (undone["phase"], undone["moved"], undone["checked"]) == ("EXPAND", NUMBER, NUMBER)
    async with opening("old") as old:
        assert await old.count("town:Rome && status:NEW && tag:red") == NUMBER


async def test_a_killed_migration_by_hand_goes_on(
    opening: Opening, database: Any, mongo_uri: str, keys: Path
) -> None:
    await fill(opening, database)
    async with opening("new") as new:
        await new.runner().run((), lambda _count: None)
    kill("by hand", mongo_uri, database.name, keys)
    bury(database)
    async with opening("new") as new:
        noted = await hand_runner(new).find()
        assert noted is not None
        assert (noted["phase"], noted["moved"]) == ("MOVE", 10)
        later = await new.save(refName="later", city="Oslo")
        done = await hand_runner(new).run(lambda _count: None)
        assert (done["phase"], done["moved"]) == ("DONE", NUMBER)
        assert await new.count('city:"Rome+"') == NUMBER
        assert (await new.read(later))["city"] == "Oslo"
        assert (await hand_runner(new).run(lambda _count: None))["moved"] == NUMBER
        assert await new.count('city:"Rome+"') == NUMBER
    versions = {one["version"] for one in database.parcels.find({"city": "Rome+"})}
    assert versions == {2}


async def test_one_that_fails_changes_nothing(opening: Opening, database: Any) -> None:
    async def fail(records: Any) -> None:
        await double(records)
        records[-1]["status"] = "UNKNOWN"

    await fill(opening, database)
    async with opening("new") as new:
        await new.runner().run((), lambda _count: None)
        runner = hand_runner(new)
        runner.migration = ByHand("0008_fail", "Parcel", fail)
        with pytest.raises(Exception, match="status"):
            await runner.run(lambda _count: None)
        assert await new.count("city:Rome") == NUMBER


async def test_a_batch_that_takes_too_long_is_tried_in_halves(opening: Opening, database: Any) -> None:
    sizes: list[int] = []

    async def take_long(records: Any) -> None:
        sizes.append(len(records))
        if len(records) > 7:
            raise StoreUnavailable("the store did not answer in time")
        await double(records)

    await fill(opening, database)
    async with opening("new") as new:
        await new.runner().run((), lambda _count: None)
        runner = hand_runner(new)
        runner.migration = ByHand("0009_slow", "Parcel", take_long)
        done = await runner.run(lambda _count: None)
        assert (done["phase"], done["moved"]) == ("DONE", NUMBER)
        assert await new.count('city:"Rome+"') == NUMBER
    assert sizes[0] > 7
    assert set(sizes[-2:]) <= set(range(1, 8))


async def test_two_that_run_at_once_migrate_each_record_once(
    opening: Opening, database: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An operator starts it again while the first, which hung, goes on."""
    monkeypatch.setattr(by_hand, "_BATCH", 10)
    has_read, may_go_on = asyncio.Event(), asyncio.Event()

    async def hang(records: Any) -> None:
        has_read.set()
        await may_go_on.wait()
        await double(records)

    await fill(opening, database)
    async with opening("new") as new:
        await new.runner().run((), lambda _count: None)
        first, second = hand_runner(new), hand_runner(new)
        first.migration = ByHand(second.migration.name, "Parcel", hang)
        hanging = asyncio.create_task(first.run(lambda _count: None))
        await has_read.wait()
        assert (await second._run_batch(10))["moved"] == 10
        may_go_on.set()
        done = await hanging
        assert (done["phase"], done["moved"]) == ("DONE", NUMBER)
        assert await new.count('city:"Rome+"') == NUMBER
