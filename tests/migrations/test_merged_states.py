"""A state that is removed in favour of another one, which the earlier version has too."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from runtime.migrations import Keeper, batches, plan_states
from runtime.model.record import Strict
from tests.kinds import kind_of
from tests.migrations.test_batches import require_ranges
from tests.migrations.versions import TEXT, VERSIONS, Opening, Running, build_catalog, shape

pytestmark = pytest.mark.anyio


class Fields(Strict):
    town: str | None = None
    status: Literal["NEW"] | None = None


PARCEL = kind_of("Parcel", "post", Fields)
STATES = {"type": "states", "values": ["NEW"]}
VERSIONS["merged"] = (PARCEL, shape(town=TEXT, status={**STATES, "renamed": {"NEW": "GONE"}}))
VERSIONS["left"] = (PARCEL, shape(town=TEXT, status=STATES))


async def test_records_of_a_merged_state_are_in_the_other_one(opening: Opening, database: Any) -> None:
    async with opening("old") as old:
        gone = await old.save(refName="gone", status="GONE")
        fresh = await old.save(refName="fresh", status="NEW")
        async with opening("merged") as merged:
            assert await merged.list("status:NEW") == ["gone", "fresh"]
            assert (await old.read(gone))["status"] == "GONE"
            await merged.patch(gone, town="Rome")
            assert (await old.read(gone))["status"] == "NEW"
            await old.patch(fresh, status="GONE")
            assert (await merged.read(fresh))["status"] == "NEW"
            assert (await old.read(fresh))["status"] == "GONE"


async def test_a_merge_of_states_is_moved_and_undone(opening: Opening, database: Any) -> None:
    """Once undone, nobody knows which records were in the state that was removed."""
    async with opening("old") as old:
        await old.save(refName="gone", status="GONE")
        await old.save(refName="fresh", status="NEW")
    async with opening("merged") as merged:
        done = await merged.runner().run((), lambda _count: None)
        assert done is not None
        assert done["steps"] == ["Parcel.status.NEW.renamedFrom.GONE"]
        assert [one["status"] for one in database.parcels.find()] == ["NEW", "NEW"]
        assert await merged.runner().run((), lambda _count: None) is None
        await merged.runner().undo(done, lambda _count: None)
        async with opening("old") as old:
            assert await old.list("status:NEW") == ["gone", "fresh"]
            assert await old.list("status:GONE") == []


async def test_records_in_a_removed_state_are_planned(
    opening: Opening, database: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also before a worker without the state has begun; not where another state takes its records."""
    monkeypatch.setattr(batches, "COUNTED", 2)

    async def plan(running: Running, version: str = "") -> list[tuple[str, str, int]]:
        async def list_databases() -> list[str]:
            return [running.realm]

        keeper = running.keeper
        if version:
            keeper = Keeper(running.service.store, build_catalog(version), running.realm, list_databases)
        found = await plan_states(keeper, running.realm)
        return [(one.name, one.kind, one.records) for one in found]

    removed = [("Parcel.status.GONE", "Parcel", 2)]
    async with opening("old") as old:
        for name, status in {"a": "GONE", "b": "GONE", "c": "NEW"}.items():
            await old.save(refName=name, status=status)
        assert await plan(old) == []
        assert await plan(old, "left") == removed
        assert await plan(old, "merged") == []
    async with opening("left") as left:
        with require_ranges(database, 2):
            assert await plan(left) == removed
    async with opening("merged") as merged:
        assert await plan(merged) == []
        await merged.runner().run((), lambda _count: None)
    async with opening("left") as left:
        assert await plan(left) == []
