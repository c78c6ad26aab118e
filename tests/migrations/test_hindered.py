"""A move that others hinder: other runs, other writers, clocks that differ, and a pause of its own process."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from runtime.errors import Misconfigured, StoreUnavailable
from runtime.migrations import notes
from runtime.migrations.batches import FEW
from runtime.migrations.moving import Mover
from runtime.model.clock import now
from runtime.spelling import Spelling
from runtime.storage.store import Store
from tests.migrations.test_killed import NUMBER, fill
from tests.migrations.versions import Opening, Running

pytestmark = pytest.mark.anyio


async def begin(new: Running) -> Mover:
    """Return what moves the records, as another run on the same notes has it too."""
    runner = new.runner()
    found = new.keeper.found[new.realm, "Parcel"]
    migration = await runner._find() or await runner._begin(found)
    if migration["phase"] != "MOVE":
        migration = await runner._enter_move(migration, {})
    spelling = Spelling(migration["number"], found.steps)
    return Mover(new.keeper.notes, new.kind, spelling, migration)


async def test_of_two_runs_at_once_one_ends_and_the_other_counts_each_record_once(
    opening: Opening, database: Any
) -> None:
    await fill(opening, database)
    async with opening("new") as new:
        first = await begin(new)
        assert await first._run_batch(10) == 10
        second = await begin(new)
        assert await second._run_batch(10) == 10
        with pytest.raises(Misconfigured, match="another process changes"):
            await first._run_batch(10)
        done = await new.runner().run((), lambda _count: None)
        assert done is not None
        assert (done["phase"], done["moved"], done["checked"]) == ("DONE", NUMBER, NUMBER)


async def test_a_process_that_was_stopped_for_a_while_moves_nothing(
    opening: Opening, database: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another run may have ended in the meantime, and been undone."""
    await fill(opening, database)
    async with opening("new") as new:
        mover = await begin(new)
        assert await mover._run_batch(10) == 10
        read_digest = Store.read_digest

        async def stop(self: Store, *arguments: Any) -> Any:
            digest = await read_digest(self, *arguments)
            self._connection.spellings.valid_until = 0
            return digest

        with monkeypatch.context() as patched:
            patched.setattr(Store, "read_digest", stop)
            with pytest.raises(StoreUnavailable):
                await mover._run_batch(10)
        assert database.parcels.count_documents({"_spelling": {"of": 2}}) == 10
        await new.keeper.refresh()
        assert await mover._run_batch(10) == 10


@pytest.mark.parametrize("size", [15, 10], ids=["of a transaction", "of an update"])
async def test_a_batch_that_was_stored_without_an_answer_is_counted_once(
    opening: Opening, database: Any, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    """The primary changed, say: the run goes on, and does not take itself for another."""
    await fill(opening, database)
    async with opening("new") as new:
        mover, name = await begin(new), "transact" if size > FEW else "update_one"
        mover.is_hindered = True
        send, run = getattr(Store, name), asyncio.current_task()
        answers = iter([StoreUnavailable("the store did not answer in time")])

        async def lose_answer(self: Store, *arguments: Any) -> Any:
            answer = await send(self, *arguments)
            if asyncio.current_task() is run:  # other parts of the service store something too
                for error in answers:
                    raise error
            return answer

        monkeypatch.setattr(Store, name, lose_answer)
        with pytest.raises(StoreUnavailable):
            await mover._run_batch(size)
        assert database.parcels.count_documents({"_spelling": {"of": 2}}) == size
        assert await mover._run_batch(size) == size
        assert (mover.migration["moved"], mover.migration["checked"]) == (2 * size, 2 * size)


async def test_records_that_are_always_written_keep_few_from_being_checked(
    opening: Opening, database: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A transaction that never passes is tried on fewer records, and these are moved without it in the end."""
    await fill(opening, database)
    async with opening("new") as new:
        mover, transact = await begin(new), Store.transact

        async def fail(_self: Store, _work: Any) -> None:
            raise StoreUnavailable("the store did not answer in time")

        with monkeypatch.context() as patched:
            patched.setattr(Store, "transact", fail)
            for size in (500, 125, 31):
                with pytest.raises(StoreUnavailable):
                    await mover._run_batch(size)
            assert database.parcels.count_documents({"_spelling": {"of": 2}}) == 0
            assert await mover._run_batch(7) == 7
            with pytest.raises(StoreUnavailable):  # a transaction again
                await mover._run_batch(14)
        assert database.parcels.count_documents({"_spelling": {"of": 2}}) == 7
        passed, run = [], asyncio.current_task()

        async def note(self: Store, work: Any) -> Any:
            if asyncio.current_task() is run:
                passed.append(1)
            return await transact(self, work)

        monkeypatch.setattr(Store, "transact", note)
        assert await mover._run_batch(14) == 14
        assert await mover._run_batch(14) == 14
        assert passed == [1]


async def test_a_worker_whose_clock_is_late_is_alive(
    opening: Opening, database: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(opening, database)
    async with opening("new") as new:
        with monkeypatch.context() as patched:
            patched.setattr(notes, "now", lambda: now() - timedelta(hours=1))
            await new.keeper.notes.announce("earlier", ["Parcel of before"], [])
        with pytest.raises(Misconfigured, match="1 worker of another version"):
            await new.runner().run((), lambda _count: None)
        assert database.parcels.count_documents({"_spelling": {"$exists": True}}) == 0


async def test_a_run_that_an_undo_has_overtaken_notes_nothing(opening: Opening, database: Any) -> None:
    await fill(opening, database)
    async with opening("new") as new:
        moved = await (await begin(new)).run(lambda _count: None)
        await new.runner()._restore_former(moved)
        before = await notes.read_shapes(new.service.store, new.realm)
        with pytest.raises(Misconfigured, match=r"another process changes the migration Parcel\.2@"):
            await new.runner()._finish(moved, 1.0)
        assert await notes.read_shapes(new.service.store, new.realm) == before
