"""Tracked references hold their target: on every path, for everybody, also when writes race."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from bson import ObjectId
from pymongo import MongoClient

from runtime.errors import Duplicate, MissingReference, ServiceError, StillReferenced
from runtime.records import commit
from runtime.records.document.terms import Terms
from runtime.records.referrers import MOST_LISTED
from runtime.storage.store import LOCK
from tests.records.depots import CRATE, DEPOT, PLACES, ROUTE, VAULT, Document, absent, to
from tests.records.yard import Yard

pytestmark = pytest.mark.anyio

Client = MongoClient[Any]


async def refused(yard: Yard, record: Document, **options: Any) -> list[Document]:
    """The referrers that a refused deletion names."""
    with pytest.raises(StillReferenced) as caught:
        await yard.delete(DEPOT, record, **options)
    referrers: list[Document] = caught.value.details["referrers"]
    return referrers


def named(*names: str, kind: str = "yard.Crate", count: int | None = None) -> Document:
    return {"type": kind, "count": len(names) if count is None else count, "refNames": list(names)}


@pytest.mark.parametrize("path", PLACES)
async def test_a_reference_holds_its_target_until_it_is_changed_or_removed(yard: Yard, path: str) -> None:
    held, other = [await yard.save(DEPOT, {"town": town}) for town in ("Porto", "Faro")]
    crate = await yard.save(CRATE, PLACES[path](to(held["id"])) | {"refName": "C-1"})
    assert await refused(yard, held) == [named("C-1")]

    crate = await yard.save(CRATE, PLACES[path](to(other["id"])) | {"id": crate["id"]})
    await yard.delete(DEPOT, held)
    assert await refused(yard, other) == [named("C-1")]

    await yard.delete(CRATE, crate)
    await yard.delete(DEPOT, other)


@pytest.mark.parametrize("path", PLACES)
async def test_a_reference_to_nothing_is_refused_with_its_path(
    yard: Yard, mongo_client: Client, path: str
) -> None:
    with pytest.raises(MissingReference):
        await yard.save(CRATE, PLACES[path](absent()))
    assert yard.stored(mongo_client, CRATE) == []


async def test_cleared_references_hold_nothing(yard: Yard) -> None:
    depot = await yard.save(DEPOT, {"town": "Porto"})
    crate = await yard.save(CRATE, {"depot": to(depot["id"])})
    await yard.save(CRATE, {"id": crate["id"]})
    await yard.delete(DEPOT, depot)


async def test_untracked_references_hold_nothing(yard: Yard) -> None:
    depot = await yard.save(DEPOT, {"town": "Porto"})
    await yard.save(CRATE, {"maker": to(depot["id"])})
    await yard.delete(DEPOT, depot)


async def test_a_record_does_not_hold_itself(yard: Yard) -> None:
    depot = await yard.save(DEPOT, {"town": "Porto"})
    await yard.save(DEPOT, {"id": depot["id"], "town": "Porto", "parent": to(depot["id"])})
    await yard.delete(DEPOT, depot)


async def test_referrers_are_told_by_type_counted_and_the_first_five_named(yard: Yard) -> None:
    depot = await yard.save(DEPOT, {"town": "Porto"})
    crates = [{"refName": f"C-{n}", "others": [to(depot["id"])] * 2} for n in range(7)]
    await yard.bulk(CRATE, *({"op": "save", "record": crate} for crate in crates), atomic=False)
    await yard.save(DEPOT, {"refName": "branch", "parent": to(depot["id"])})
    assert await refused(yard, depot) == [
        named("branch", kind="yard.Depot"),
        named(*(f"C-{n}" for n in range(5)), count=7),
    ]


async def test_a_renamed_type_is_called_by_its_name_of_today(yard: Yard) -> None:
    crate = await yard.save(CRATE, {})
    tour = await yard.save(ROUTE, {"refName": "T-1", "crates": [to(crate["id"])]})
    with pytest.raises(
        StillReferenced, match=r"1 yard\.Tour refers to this Crate: change or remove it first"
    ) as caught:
        await yard.delete(CRATE, crate)
    assert caught.value.details["referrers"] == [named("T-1", kind="yard.Tour")]
    shown = {"referencedId": tour["id"], "type": "yard.Tour", "refName": "T-1"}
    assert (await yard.read(CRATE, crate))["references"] == [shown]
    with pytest.raises(Duplicate, match="another Tour has the refName T-1"):
        await yard.save(ROUTE, {"refName": "T-1"})


async def test_archived_referrers_count(yard: Yard) -> None:
    depot = await yard.save(DEPOT, {"town": "Porto"})
    await yard.save(CRATE, {"refName": "old", "depot": to(depot["id"]), "activeStatus": "ARCHIVED"})
    assert await refused(yard, depot) == [named("old")]


async def test_referrers_that_the_caller_cannot_see_are_neither_named_nor_counted(yard: Yard) -> None:
    north = await yard.call(org_ref_name="north")
    depot = await yard.save(DEPOT, {"town": "Porto"}, north)
    await yard.save(CRATE, {"refName": "C-south", "depot": to(depot["id"])})
    await yard.save(CRATE, {"refName": "C-north", "depot": to(depot["id"])}, north)
    assert await refused(yard, depot, call=north) == [named("C-north", count=1)]


async def test_other_tenants_neither_count_nor_are_named(yard: Yard, mongo_client: Client) -> None:
    depot = await yard.save(DEPOT, {"town": "Porto"})
    crate = await yard.save(CRATE, {"depot": to(depot["id"])})
    mongo_client[yard.realm]["crates"].update_one(
        {"_id": ObjectId(crate["id"])}, {"$set": {"dataDomain.tenantId": "globex"}}
    )
    operator = await yard.call("operations", ("system",))
    assert "references" not in await yard.read(DEPOT, depot, operator)
    await yard.delete(DEPOT, depot, operator)


async def test_a_reference_into_another_tenant_is_refused_even_to_the_operator(yard: Yard) -> None:
    depot = await yard.save(DEPOT, {"town": "Porto"})
    operator = await yard.call("operations", ("system",))
    with pytest.raises(MissingReference) as caught:
        await yard.save(CRATE, {"others": [to(depot["id"])]}, operator)
    assert [one["path"] for one in caught.value.details["violations"]] == ["others[0]"]
    inside = {"others": [to(depot["id"])], "dataDomain": {"tenantId": "acme"}}
    assert (await yard.save(CRATE, inside, operator))["version"] == 1


async def test_a_record_that_others_refer_to_stays_in_its_tenant(yard: Yard) -> None:
    operator = await yard.call("operations", ("system",))
    depot = await yard.save(DEPOT, {"town": "Porto"})
    crate = await yard.save(CRATE, {"refName": "C-1", "depot": to(depot["id"])})
    away = {"dataDomain": {"tenantId": "globex"}}
    with pytest.raises(StillReferenced):
        await yard.save(DEPOT, depot | away, operator)
    with pytest.raises(MissingReference):
        await yard.save(CRATE, crate | away, operator)
    await yard.delete(CRATE, crate)
    assert (await yard.save(DEPOT, depot | away, operator))["dataDomain"]["tenantId"] == "globex"


async def test_what_is_archived_is_not_held_and_may_be_referred_to(yard: Yard, mongo_client: Client) -> None:
    vault = await yard.save(VAULT, {"refName": "V-1"})
    await yard.save(CRATE, {"vault": to(vault["id"])})
    await yard.delete(VAULT, vault)
    assert [row["activeStatus"] for row in yard.stored(mongo_client, VAULT)] == ["ARCHIVED"]
    await yard.save(CRATE, {"vault": to(vault["id"])})
    assert LOCK not in yard.stored(mongo_client, VAULT)[0]


class TestTheTarget:
    async def test_keeps_version_and_audit_and_shows_no_lock(self, yard: Yard, mongo_client: Client) -> None:
        depot = await yard.save(DEPOT, {"town": "Porto"})
        (before,) = yard.stored(mongo_client, DEPOT)
        await yard.save(CRATE, {"refName": "C-1", "depot": to(depot["id"])})
        (after,) = yard.stored(mongo_client, DEPOT)
        assert isinstance(after.pop(LOCK), ObjectId)
        assert after == before
        shown = await yard.read(DEPOT, depot)
        assert shown.pop("references")[0]["refName"] == "C-1"
        assert shown == depot

    async def test_may_be_replaced_while_it_is_held(self, yard: Yard) -> None:
        depot = await yard.save(DEPOT, {"town": "Porto"})
        await yard.save(CRATE, {"refName": "C-1", "depot": to(depot["id"])})
        again = await yard.save(DEPOT, {"id": depot["id"], "town": "Porto", "version": 1})
        assert again["version"] == 2
        assert await refused(yard, depot) == [named("C-1")]

    async def test_names_its_referrers_on_single_reads_only_as_far_as_they_may_be_seen(
        self, yard: Yard
    ) -> None:
        north = await yard.call(org_ref_name="north")
        depot = await yard.save(DEPOT, {"town": "Porto"}, north)
        assert "references" not in await yard.read(DEPOT, depot)
        own = await yard.save(CRATE, {"refName": "C-north", "depot": to(depot["id"])}, north)
        south = await yard.save(CRATE, {"refName": "C-south", "others": [to(depot["id"])]})
        branch = await yard.save(DEPOT, {"refName": "D-2", "parent": to(depot["id"])})
        await yard.save(CRATE, {"refName": "not tracked", "maker": to(depot["id"])})

        def entry(kind: str, record: Document) -> Document:
            return {"referencedId": record["id"], "type": kind, "refName": record["refName"]}

        of_north = [entry("yard.Crate", own)]
        everybody = [entry("yard.Depot", branch), entry("yard.Crate", own), entry("yard.Crate", south)]
        operator = await yard.call("operations", ("system",))
        assert (await yard.read(DEPOT, depot, north))["references"] == of_north
        assert (await yard.read(DEPOT, depot))["references"] == everybody
        assert (await yard.read(DEPOT, depot, operator))["references"] == everybody

    async def test_names_a_bounded_number_of_them(self, yard: Yard) -> None:
        depot = await yard.save(DEPOT, {"town": "Porto"})
        crates = [{"refName": f"C-{n:03}", "depot": to(depot["id"])} for n in range(MOST_LISTED + 5)]
        await yard.bulk(CRATE, *({"op": "save", "record": crate} for crate in crates), atomic=False)
        found = (await yard.read(DEPOT, depot))["references"]
        assert [entry["refName"] for entry in found] == [crate["refName"] for crate in crates[:MOST_LISTED]]

    async def test_cannot_be_told_its_references_by_a_client(self, yard: Yard, mongo_client: Client) -> None:
        entry = {"referencedId": str(ObjectId()), "type": "yard.Crate", "refName": "forged"}
        await yard.save(DEPOT, {"town": "Porto", "references": [entry]})
        assert "references" not in yard.stored(mongo_client, DEPOT)[0]


class TestBulk:
    @pytest.mark.parametrize("atomic", [True, False])
    async def test_child_and_then_parent_may_go_together(
        self, yard: Yard, mongo_client: Client, atomic: bool
    ) -> None:
        parent = await yard.save(DEPOT, {"town": "Porto"})
        child = await yard.save(DEPOT, {"town": "Faro", "parent": to(parent["id"])})
        deletes = [{"op": "delete", "id": one["id"]} for one in (child, parent)]
        assert [one["status"] for one in await yard.bulk(DEPOT, *deletes, atomic=atomic)] == [204, 204]
        assert yard.stored(mongo_client, DEPOT) == []

    async def test_parent_before_child_is_refused_and_undone(self, yard: Yard, mongo_client: Client) -> None:
        parent = await yard.save(DEPOT, {"town": "Porto"})
        child = await yard.save(DEPOT, {"refName": "D-2", "parent": to(parent["id"])})
        deletes = [{"op": "delete", "id": one["id"]} for one in (parent, child)]
        with pytest.raises(StillReferenced) as caught:
            await yard.bulk(DEPOT, *deletes, atomic=True)
        assert caught.value.details["index"] == 0
        assert len(yard.stored(mongo_client, DEPOT)) == 2
        assert [one["status"] for one in await yard.bulk(DEPOT, *deletes, atomic=False)] == [409, 204]

    async def test_an_atomic_request_sees_its_own_changes(self, yard: Yard, mongo_client: Client) -> None:
        old, new = [await yard.save(DEPOT, {"town": town}) for town in ("Porto", "Faro")]
        child = await yard.save(DEPOT, {"town": "Tavira", "parent": to(old["id"])})
        moved = {"id": child["id"], "town": "Tavira", "parent": to(new["id"])}
        results = await yard.bulk(
            DEPOT, {"op": "save", "record": moved}, {"op": "delete", "id": old["id"]}, atomic=True
        )
        assert [one["status"] for one in results] == [200, 204]
        assert {str(row["_id"]) for row in yard.stored(mongo_client, DEPOT)} == {new["id"], child["id"]}

    async def test_of_many_new_records_only_the_bad_ones_are_refused(
        self, yard: Yard, mongo_client: Client
    ) -> None:
        depot = await yard.save(DEPOT, {"town": "Porto"})
        target = to(depot["id"])
        rows = [{"refName": f"C-{n}", "depot": target} for n in range(4)]
        rows[1] = {"refName": "C-0", "depot": target}
        rows[2] = {"refName": "C-2", "depot": absent()}
        results = await yard.bulk(CRATE, *({"op": "save", "record": row} for row in rows), atomic=False)
        assert [one["status"] for one in results] == [201, 409, 422, 201]
        assert [row["refName"] for row in yard.stored(mongo_client, CRATE)] == ["C-0", "C-3"]
        assert await refused(yard, depot) == [named("C-0", "C-3")]


async def test_a_dry_run_checks_and_stores_nothing(yard: Yard, mongo_client: Client) -> None:
    dry_run = Terms(is_dry_run=True)
    depot = await yard.save(DEPOT, {"town": "Porto"})
    await yard.save(CRATE, {"refName": "C-1", "depot": to(depot["id"])}, terms=dry_run)
    assert yard.stored(mongo_client, CRATE) == []
    assert LOCK not in yard.stored(mongo_client, DEPOT)[0]
    await yard.save(CRATE, {"refName": "C-1", "depot": to(depot["id"])})
    assert await refused(yard, depot, terms=dry_run) == [named("C-1")]


async def outcome(work: Any) -> str:
    try:
        await work
    except ServiceError as error:
        return error.code
    return "done"


class TestRaces:
    """Whatever the order, no reference leads nowhere. Two stores, which share no turns."""

    @pytest.mark.parametrize("round_", range(4))
    async def test_new_referrers_against_the_removal_of_their_target(
        self, yard: Yard, other_yard: Yard, mongo_client: Client, round_: int
    ) -> None:
        depots = [await yard.save(DEPOT, {"town": f"town {n}"}) for n in range(3)]
        paths = list(PLACES)

        async def child(n: int) -> None:
            one = (yard, other_yard)[n % 2]
            await one.save(CRATE, PLACES[paths[n % len(paths)]](to(depots[n % 3]["id"])))

        works = [child(n) for n in range(15)]
        works[round_ * 4 : round_ * 4] = [other_yard.delete(DEPOT, depot) for depot in depots]
        told = Counter(await asyncio.gather(*map(outcome, works)))
        assert told.keys() <= {"done", "reference.missing", "reference.in_use", "store.unavailable"}
        assert told["done"]
        self.require_sound(yard, mongo_client)

    async def test_moving_referrers_against_the_removal_of_their_targets(
        self, yard: Yard, other_yard: Yard, mongo_client: Client
    ) -> None:
        depots = [await yard.save(DEPOT, {"town": f"town {n}"}) for n in range(4)]
        crates = [await yard.save(CRATE, {"depot": to(depots[0]["id"])}) for _n in range(6)]

        async def move(n: int) -> None:
            await yard.save(CRATE, {"id": crates[n % 6]["id"], "depot": to(depots[n % 4]["id"])})

        works = [*(move(n) for n in range(18)), *(other_yard.delete(DEPOT, depot) for depot in depots)]
        told = Counter(await asyncio.gather(*map(outcome, works)))
        assert told.keys() <= {
            "done", "reference.missing", "reference.in_use", "record.version_conflict", "store.unavailable"
        }  # fmt: skip
        self.require_sound(yard, mongo_client)

    async def test_siblings_of_one_target_all_get_through(
        self, yard: Yard, other_yard: Yard, mongo_client: Client
    ) -> None:
        depot = await yard.save(DEPOT, {"town": "Porto"})
        told = await asyncio.gather(
            *(outcome(one.save(CRATE, {"depot": to(depot["id"])})) for one in [yard, other_yard] * 10)
        )
        assert Counter(told) == {"done": 20}
        assert len(yard.stored(mongo_client, CRATE)) == 20

    async def test_removals_of_one_record_have_one_winner(self, yard: Yard, other_yard: Yard) -> None:
        depot = await yard.save(DEPOT, {"town": "Porto"})
        told = await asyncio.gather(*(outcome(one.delete(DEPOT, depot)) for one in [yard, other_yard] * 4))
        assert Counter(told) == {"done": 1, "record.not_found": 7}

    async def test_a_target_removed_while_a_save_is_under_way_is_missing(
        self, yard: Yard, mongo_client: Client
    ) -> None:
        """Between the look-up and the transaction: the moment that only the transaction can decide."""
        depot = await yard.save(DEPOT, {"town": "Porto"})
        call = await yard.call()

        async def remove_first(inner: Any, _document: Any) -> None:
            await yard.delete(DEPOT, depot)

        late = replace(call, service=replace(call.service, checks={"Crate": remove_first}))
        with pytest.raises(MissingReference) as caught:
            await yard.save(CRATE, {"depot": to(depot["id"])}, late)
        assert caught.value.details["violations"] == [
            {"path": "depot", "message": f"no Depot has the id {depot['id']}"}
        ]
        assert yard.stored(mongo_client, CRATE) == []

    async def test_a_target_cannot_go_while_a_save_that_holds_it_is_not_stored_yet(
        self, yard: Yard, other_yard: Yard, mongo_client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The removal begins when the save has looked and has not written: it must not end before it."""
        depot = await yard.save(DEPOT, {"town": "Porto"})
        write, removals = commit._write_all, []

        async def late(store: Any, changes: Any) -> None:
            if changes[0].kind is CRATE:
                removals.append(asyncio.create_task(outcome(other_yard.delete(DEPOT, depot))))
                await asyncio.wait(removals, timeout=0.3)
            await write(store, changes)

        monkeypatch.setattr(commit, "_write_all", late)
        assert await outcome(yard.save(CRATE, {"depot": to(depot["id"])})) == "done"
        assert set(await asyncio.gather(*removals)) == {"reference.in_use"}
        self.require_sound(yard, mongo_client)

    async def test_a_target_renamed_while_a_save_is_under_way_has_its_new_name(
        self, yard: Yard, mongo_client: Client
    ) -> None:
        depot = await yard.save(DEPOT, {"refName": "D-1", "town": "Porto"})
        call, renamed = await yard.call(), []

        async def rename_once(inner: Any, _document: Any) -> None:
            if not renamed:
                renamed.append(await yard.save(DEPOT, depot | {"refName": "D-2"}))

        late = replace(call, service=replace(call.service, checks={"Crate": rename_once}))
        await yard.save(CRATE, {"depot": to(depot["id"])}, late)
        assert [row["depot"]["entityRefName"] for row in yard.stored(mongo_client, CRATE)] == ["D-2"]

    @staticmethod
    def require_sound(yard: Yard, client: Client) -> None:
        there = {row["_id"] for row in yard.stored(client, DEPOT)}
        pointed = {
            entry["entityId"]
            for row in yard.stored(client, CRATE)
            for entry in (
                *([row["depot"]] if "depot" in row else ()),
                *row.get("others", ()),
                *([row["home"]["depot"]] if "home" in row else ()),
                *(stop for leg in row.get("legs", ()) for stop in leg.get("stops", ())),
            )
        }
        assert pointed <= there


async def test_what_fails_behind_the_touch_leaves_nothing(yard: Yard, mongo_client: Client) -> None:
    """The insert is refused after the target was written to: both are undone."""
    depot = await yard.save(DEPOT, {"town": "Porto"})
    await yard.save(CRATE, {"refName": "C-1"})
    with pytest.raises(Duplicate):
        await yard.save(CRATE, {"refName": "C-1", "depot": to(depot["id"])})
    assert LOCK not in yard.stored(mongo_client, DEPOT)[0]
