"""Names in references follow the record they name, and what was made of them follows too."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from bson import ObjectId
from pymongo import MongoClient

from runtime.records import rewriting
from runtime.records.document.terms import Terms
from runtime.records.effects import copies
from runtime.records.effects.copies import refresh
from runtime.records.rewriting import Reach
from tests.records.depots import CRATE, DEPOT, PLACES, ROUTE, Document, to
from tests.records.yard import Yard

pytestmark = pytest.mark.anyio

Client = MongoClient[Any]


def copied(value: Any, record_id: str) -> set[tuple[str, str]]:
    """(refName, displayName) of every reference to a record, wherever it stands in a document."""
    if isinstance(value, list):
        return {pair for item in value for pair in copied(item, record_id)}
    if not isinstance(value, dict):
        return set()
    if str(value.get("entityId")) == record_id:
        return {(value["entityRefName"], value["entityDisplayName"])}
    return {pair for item in value.values() for pair in copied(item, record_id)}


async def renamed(yard: Yard, depot: Document, ref_name: str, town: str) -> None:
    await yard.save(DEPOT, {"id": depot["id"], "refName": ref_name, "town": town})


@pytest.mark.parametrize("path", [*PLACES, "maker"])
async def test_copies_follow_wherever_they_stand(yard: Yard, mongo_client: Client, path: str) -> None:
    """Tracked or not; beside them a reference to another record, which stays as it is."""
    place = PLACES.get(path, lambda target: {"maker": target})
    depot, other = [await yard.save(DEPOT, {"refName": f"D-{n}", "town": "Porto"}) for n in range(2)]
    mine = await yard.save(CRATE, place(to(depot["id"])))
    theirs = await yard.save(CRATE, place(to(other["id"])))
    before = {row["_id"]: row for row in yard.stored(mongo_client, CRATE)}

    await renamed(yard, depot, "D-9", "Faro")

    after = {row["_id"]: row for row in yard.stored(mongo_client, CRATE)}
    now = after[ObjectId(mine["id"])]
    assert copied(now, depot["id"]) == {("D-9", "Faro")}
    assert (now["version"], now["auditInfo"]) == (1, before[now["_id"]]["auditInfo"])
    assert after[ObjectId(theirs["id"])] == before[ObjectId(theirs["id"])]


async def test_in_lists_only_the_copies_of_that_record_change(yard: Yard, mongo_client: Client) -> None:
    depot, other = [await yard.save(DEPOT, {"refName": f"D-{n}", "town": "Porto"}) for n in range(2)]
    both = [to(other["id"]), to(depot["id"]), to(other["id"])]
    await yard.save(CRATE, {"others": both, "legs": [{"stops": both}, {}, {"stops": both[1:]}]})
    await renamed(yard, depot, "D-9", "Faro")
    (crate,) = yard.stored(mongo_client, CRATE)
    assert copied(crate, depot["id"]) == {("D-9", "Faro")}
    assert copied(crate, other["id"]) == {("D-1", "Porto")}
    assert [entry["entityRefName"] for entry in crate["others"]] == ["D-1", "D-9", "D-1"]


@pytest.mark.parametrize(
    ("body", "names"),
    [
        pytest.param({"refName": "D-2", "town": "Porto"}, ("D-2", "Porto"), id="refName alone"),
        pytest.param({"refName": "D-1", "town": "Faro"}, ("D-1", "Faro"), id="displayName alone"),
        pytest.param({"refName": "D-1", "displayName": "HQ"}, ("D-1", "HQ"), id="a chosen one"),
    ],
)
async def test_either_name(yard: Yard, body: Document, names: tuple[str, str]) -> None:
    depot = await yard.save(DEPOT, {"refName": "D-1", "town": "Porto"})
    crate = await yard.save(CRATE, {"maker": to(depot["id"])})
    await yard.save(DEPOT, body | {"id": depot["id"]})
    assert copied(await yard.read(CRATE, crate), depot["id"]) == {names}


async def test_display_names_and_calculated_fields_made_of_names_follow(yard: Yard) -> None:
    depot = await yard.save(DEPOT, {"refName": "D-1", "town": "Porto"})
    crate = await yard.save(CRATE, {"code": "C", "depot": to(depot["id"])})
    chosen = await yard.save(CRATE, {"code": "X", "displayName": "mine", "depot": to(depot["id"])})
    route = await yard.save(ROUTE, {"crates": [to(crate["id"]), to(chosen["id"])]})
    assert crate["displayName"] == "C at Porto"

    await renamed(yard, depot, "D-2", "Faro")

    now = await yard.read(CRATE, crate)
    assert (now["displayName"], now["label"]) == ("C at Faro", "D-2/C")
    assert (await yard.read(CRATE, chosen))["displayName"] == "mine"
    shown = [entry["entityDisplayName"] for entry in (await yard.read(ROUTE, route))["crates"]]
    assert shown == ["C at Faro", "mine"]
    again = await yard.save(CRATE, now)  # nobody chose the name that came by itself
    await renamed(yard, depot, "D-2", "Lagos")
    assert (again["displayName"], (await yard.read(CRATE, crate))["displayName"]) == (
        "C at Faro",
        "C at Lagos",
    )


async def test_records_of_other_owners_follow_and_those_of_other_tenants_do_not(
    yard: Yard, mongo_client: Client
) -> None:
    north = await yard.call(org_ref_name="north")
    depot = await yard.save(DEPOT, {"refName": "D-1", "town": "Porto"}, north)
    await yard.save(CRATE, {"refName": "south", "maker": to(depot["id"])})
    foreign = await yard.save(CRATE, {"refName": "foreign", "maker": to(depot["id"])})
    mongo_client[yard.realm]["crates"].update_one(
        {"_id": ObjectId(foreign["id"])}, {"$set": {"dataDomain.tenantId": "globex"}}
    )
    await yard.save(DEPOT, {"id": depot["id"], "refName": "D-1", "town": "Faro"}, north)
    names = {row["refName"]: row["maker"]["entityDisplayName"] for row in yard.stored(mongo_client, CRATE)}
    assert names == {"south": "Faro", "foreign": "Porto"}


@pytest.mark.parametrize("how", ["atomic", "not atomic"])
async def test_after_bulk(yard: Yard, how: str) -> None:
    depots = [await yard.save(DEPOT, {"refName": f"D-{n}", "town": "Porto"}) for n in range(2)]
    crate = await yard.save(CRATE, {"others": [to(depot["id"]) for depot in depots]})
    saves = [{"op": "save", "record": {"id": one["id"], "town": "Faro"}} for one in depots]
    await yard.bulk(DEPOT, *saves, atomic=how == "atomic")
    now = await yard.read(CRATE, crate)
    assert [entry["entityDisplayName"] for entry in now["others"]] == ["Faro", "Faro"]


async def test_what_was_undone_or_only_tried_is_not_copied(yard: Yard, mongo_client: Client) -> None:
    depot = await yard.save(DEPOT, {"refName": "D-1", "town": "Porto"})
    await yard.save(DEPOT, {"refName": "taken"})
    await yard.save(CRATE, {"maker": to(depot["id"])})
    body = {"id": depot["id"], "refName": "D-1", "town": "Faro"}
    await yard.save(DEPOT, body, terms=Terms(is_dry_run=True))
    saves = [{"op": "save", "record": body}, {"op": "save", "record": {"refName": "taken"}}]
    with pytest.raises(Exception, match="taken"):
        await yard.bulk(DEPOT, *saves, atomic=True)
    (crate,) = yard.stored(mongo_client, CRATE)
    assert copied(crate, depot["id"]) == {("D-1", "Porto")}


async def test_more_referrers_than_one_batch_holds(
    yard: Yard, mongo_client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(copies, "_BATCH", 3)
    depot = await yard.save(DEPOT, {"refName": "D-1", "town": "Porto"})
    crates = [{"refName": f"C-{n}", "depot": to(depot["id"])} for n in range(10)]
    made = await yard.bulk(CRATE, *({"op": "save", "record": crate} for crate in crates), atomic=False)
    await yard.save(ROUTE, {"crates": [to(one["id"]) for one in made]})
    await renamed(yard, depot, "D-1", "Faro")
    rows = yard.stored(mongo_client, CRATE)
    assert {row["depot"]["entityDisplayName"] for row in rows} == {"Faro"}
    (route,) = yard.stored(mongo_client, ROUTE)
    assert {entry["entityDisplayName"] for entry in route["crates"]} == {"at Faro"}


async def test_a_record_that_refers_to_itself_follows_itself(yard: Yard) -> None:
    depot = await yard.save(DEPOT, {"refName": "D-1", "town": "Porto"})
    body = {"id": depot["id"], "refName": "D-1", "parent": to(depot["id"])}
    await yard.save(DEPOT, body | {"town": "Porto"})
    await yard.save(DEPOT, body | {"town": "Faro"})
    now = await yard.read(DEPOT, depot)
    assert (now["parent"]["entityDisplayName"], now["displayName"]) == ("Faro", "Faro")


class TestRefresh:
    @staticmethod
    def reach(yard: Yard) -> Reach:
        return Reach(yard.service.store, yard.service.catalog, {}, yard.realm, "acme")

    async def test_again_changes_nothing(self, yard: Yard, mongo_client: Client) -> None:
        depot = await yard.save(DEPOT, {"refName": "D-1", "town": "Porto"})
        await yard.save(CRATE, {"depot": to(depot["id"]), "others": [to(depot["id"])]})
        mongo_client[yard.realm]["crates"].update_many({}, {"$set": {"depot.entityRefName": "old"}})
        assert await refresh(self.reach(yard), DEPOT, [depot["id"]]) == 1
        before = yard.stored(mongo_client, CRATE)
        assert await refresh(self.reach(yard), DEPOT, [depot["id"]]) == 0
        assert yard.stored(mongo_client, CRATE) == before

    async def test_a_name_that_changes_meanwhile_is_copied_too(
        self, yard: Yard, mongo_client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        depot = await yard.save(DEPOT, {"refName": "D-1", "town": "Porto"})
        await yard.save(CRATE, {"maker": to(depot["id"])})
        whole, later = copies._refresh_in, {"$set": {"displayName": "Lagos"}}

        async def renamed_behind(*arguments: Any) -> int:
            done = await whole(*arguments)
            mongo_client[yard.realm]["depots"].update_one({}, later)
            return done

        monkeypatch.setattr(copies, "_refresh_in", renamed_behind)
        await refresh(self.reach(yard), DEPOT, [depot["id"]])
        assert copied(yard.stored(mongo_client, CRATE), depot["id"]) == {("D-1", "Lagos")}

    async def test_a_record_that_is_saved_meanwhile_keeps_what_was_saved(
        self, yard: Yard, mongo_client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Places in its lists may be others then: it is read again, and only the names are written."""
        depot, other = [await yard.save(DEPOT, {"refName": f"D-{n}", "town": "Porto"}) for n in range(2)]
        crate = await yard.save(CRATE, {"others": [to(depot["id"]), to(other["id"])]})
        crates, whole, saves = mongo_client[yard.realm]["crates"], rewriting._store_updates, [1]
        crates.update_one({}, {"$set": {"others.0.entityRefName": "old"}})

        async def saved_before(*arguments: Any) -> int:
            if saves:
                saves.pop()
                turned = (crates.find_one() or {})["others"][::-1]
                crates.update_one({}, {"$set": {"others": turned, "version": 2}})
            return await whole(*arguments)

        monkeypatch.setattr(rewriting, "_store_updates", saved_before)
        await refresh(self.reach(yard), DEPOT, [depot["id"]])
        now = await yard.read(CRATE, crate)
        assert [one["entityRefName"] for one in now["others"]] == ["D-1", "D-0"]
        assert now["version"] == 2

    async def test_a_target_that_went_leaves_its_names(self, yard: Yard, mongo_client: Client) -> None:
        depot = await yard.save(DEPOT, {"refName": "D-1", "town": "Porto"})
        await yard.save(CRATE, {"maker": to(depot["id"])})
        await yard.delete(DEPOT, depot)
        assert await refresh(self.reach(yard), DEPOT, [depot["id"]]) == 0
        assert copied(yard.stored(mongo_client, CRATE), depot["id"]) == {("D-1", "Porto")}


async def test_renames_side_by_side_leave_the_last_name_everywhere(yard: Yard, mongo_client: Client) -> None:
    depot = await yard.save(DEPOT, {"refName": "D-0", "town": "Porto"})
    crates = [{"refName": f"C-{n}", "depot": to(depot["id"])} for n in range(20)]
    await yard.bulk(CRATE, *({"op": "save", "record": crate} for crate in crates), atomic=False)
    await asyncio.gather(*(renamed(yard, depot, f"D-{n}", f"town {n}") for n in range(6)))
    (now,) = yard.stored(mongo_client, DEPOT)
    assert copied(yard.stored(mongo_client, CRATE), depot["id"]) == {(now["refName"], now["displayName"])}


async def test_tracked_references_saved_during_renames_carry_the_last_name(
    yard: Yard, other_yard: Yard, mongo_client: Client
) -> None:
    """The transaction looks at the names once more, so that no save brings an old one back."""
    depot = await yard.save(DEPOT, {"refName": "D-0", "town": "Porto"})
    saves = [yard.save(CRATE, {"refName": f"C-{n}", "depot": to(depot["id"])}) for n in range(16)]
    renames = [renamed(other_yard, depot, f"D-{n}", f"town {n}") for n in range(4)]
    await asyncio.gather(*saves[:8], *renames, *saves[8:])
    (now,) = yard.stored(mongo_client, DEPOT)
    rows = yard.stored(mongo_client, CRATE)
    assert len(rows) == 16
    assert copied(rows, depot["id"]) == {(now["refName"], now["displayName"])}
