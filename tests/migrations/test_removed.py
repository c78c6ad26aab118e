"""Values of fields that are not declared any more: kept until their loss is accepted, then gone, and counted."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from runtime.errors import Misconfigured, StoreUnavailable
from runtime.migrations import Removal, Remover, plan_removals
from runtime.migrations.notes import read_shapes
from runtime.storage.store import Store
from tests.migrations.killed import remover
from tests.migrations.test_killed import NUMBER, fill, kill
from tests.migrations.versions import Opening, Running

pytestmark = pytest.mark.anyio


async def plan(new: Running, examples: int = 0) -> dict[str, tuple[int, list[Any]]]:
    found = await plan_removals(new.keeper, new.realm, examples=examples)
    return {one.name: (one.records, one.examples) for one in found}


async def test_values_are_removed_when_that_is_accepted(
    opening: Opening, database: Any, mongo_uri: str, keys: Path
) -> None:
    await fill(opening, database)
    async with opening("old") as old:
        place = {"road": "a", "zipCode": "1"}
        database.parcels.update_one({"weight": 1}, {"$set": {"secret": "S", "place": place}})
        assert await plan(old) == {}
        async with opening("lean") as new:
            with pytest.raises(Misconfigured, match="1 worker of another version"):
                await remover(new).run(lambda _count: None)
    async with opening("lean") as new:
        found = await plan(new, examples=1)
        assert found == {
            "Parcel.tag.removed": (NUMBER, [{"refName": "0", "value": "red"}]),
            "Parcel.secret.removed": (1, []),
            "Parcel.place.zipCode.removed": (1, [{"refName": "1", "value": "1"}]),
        }
        await asyncio.to_thread(kill, "remove", mongo_uri, database.name, keys)
        assert database.parcels.count_documents({"tag": {"$exists": True}}) == NUMBER - 20
        done = await remover(new).run(lambda _count: None)
        assert (done["phase"], done["moved"], done["startedBy"]) == ("DONE", NUMBER, "operator")
        assert done["acceptedLoss"] == ["Parcel.tag.removed"]
        assert database.parcels.count_documents({"tag": {"$exists": True}}) == 0
        assert {one["version"] for one in database.parcels.find({})} == {1}
        assert set(await plan(new)) == {"Parcel.secret.removed", "Parcel.place.zipCode.removed"}
        removal = Removal("Parcel.place.zipCode.removed", "Parcel", "place.zipCode", 0)
        await Remover(new.keeper, new.realm, removal, "ann").run(lambda _count: None)
        assert database.parcels.find_one({"weight": 1})["place"] == {"road": "a"}
        assert await new.count("town:Rome") == NUMBER
    async with opening("old") as old:
        assert (await read_shapes(old.service.store, old.realm))["Parcel"].shape.get("removed") is None
        assert await plan(old) == {}


async def test_a_batch_that_was_stored_without_an_answer_is_counted_once(
    opening: Opening, database: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    await fill(opening, database)
    async with opening("lean") as new:
        transact, run = Store.transact, asyncio.current_task()
        answers = iter([StoreUnavailable("the store did not answer in time")])

        async def lose_answer(self: Store, work: Any) -> Any:
            answer = await transact(self, work)
            if asyncio.current_task() is run:  # other parts of the service store something too
                for error in answers:
                    raise error
            return answer

        monkeypatch.setattr(Store, "transact", lose_answer)
        done = await remover(new).run(lambda _count: None)
        assert (done["phase"], done["moved"], list(answers)) == ("DONE", NUMBER, [])


@pytest.mark.parametrize(
    "path",
    [
        "town",
        "town.x",
        "lines.sku",
        "place",
        "place.road",
        "dataDomain.tenantId",
        "version",
        "_id",
        "$x",
        "a.$[]",
        "a..b",
    ],
)
async def test_what_is_declared_is_not_removed(opening: Opening, database: Any, path: str) -> None:
    async with opening("lean") as new:
        await new.save(refName="0", town="Rome", place={"road": "a"})
        (before,) = database.parcels.find({})
        removal = Removal(f"Parcel.{path}.removed", "Parcel", path, 0)
        with pytest.raises(Misconfigured, match="is declared"):
            await Remover(new.keeper, new.realm, removal, "ann").run(lambda _count: None)
        assert database.parcels.find_one({}) == before


async def test_of_two_removals_at_once_one_ends_and_removes_nothing(opening: Opening, database: Any) -> None:
    await fill(opening, database)
    async with opening("lean") as new:
        first, second = remover(new), remover(new)
        first._noted = await first._begin()
        second._noted = await new.keeper.notes.update(first._noted, {"startedBy": "ann"})
        with pytest.raises(Misconfigured, match=r"another process .*Parcel\.tag\.removed"):
            await first._run_batch(10)
        assert database.parcels.count_documents({"tag": {"$exists": True}}) == NUMBER
        assert await second._run_batch(10) == 10
        assert database.parcels.count_documents({"tag": {"$exists": True}}) == NUMBER - 10
