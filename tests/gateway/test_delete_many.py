"""deleteMany: all that match or none, whatever else happens at the same time."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from bson import ObjectId
from pymongo import MongoClient

from tests.http.test_permission_rules import rule, ruled
from tests.http.world import Document, World, open_world
from tests.scenario import Scenario


@pytest.fixture(scope="module")
def few(mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path) -> Iterator[World]:
    """A service that deletes at most three records in a request."""
    with open_world(mongo_uri, mongo_client, data_folder=key_folder, max_deletions=3) as opened:
        yield opened


PATCHES = {"Content-Type": "application/merge-patch+json"}


def delete(kind: str, match: str, caller: str = "acme", **said: Any) -> Scenario:
    body = {"rootType": kind, "query": match} | said.pop("body", {})
    return Scenario("deleteMany", "POST /api/query/deleteMany", caller, body=body, **said)


def match_of(*records: Document) -> str:
    return f"id:^[{','.join(one['id'] for one in records)}]"


def test_all_are_removed(world: World) -> None:
    made = [world.make("Carrier") for _each in range(5)]
    kept = world.make("Carrier")
    world.play(delete("Carrier", match_of(*made), removed=5, has={"matched": 5, "deleted": 5}))
    world.play(delete("Carrier", match_of(*made), has={"matched": 0, "deleted": 0}))
    assert world.read("Carrier", kept) == kept


def test_too_many_are_none(few: World) -> None:
    made = [few.make("Carrier") for _each in range(4)]
    refused: Document = {"status": 422, "code": "delete.too_many", "says": ("4", "3"), "has": {"matched": 4}}
    few.play(delete("Carrier", match_of(*made), **refused))
    few.play(delete("Carrier", match_of(*made), body={"dryRun": True}, **refused))
    few.play(delete("Carrier", match_of(*made[1:]), removed=3))


def test_one_that_is_referred_to_prevents_all(world: World) -> None:
    free, used = world.make("Customer"), world.make("Customer")
    shipment = world.make("Shipment", customer={"entityId": used["id"]})
    refused: Document = {"status": 409, "code": "reference.in_use", "has": {"referrers[0].count": 1}}
    world.play(delete("Customer", match_of(free, used), **refused))
    world.play(delete("Customer", match_of(free, used), body={"dryRun": True}, **refused))
    world.play(delete("Shipment", match_of(shipment), removed=1))
    world.play(delete("Customer", match_of(free, used), removed=2))


def test_one_that_a_rule_protects_prevents_all(world: World) -> None:
    open_one, protected = world.make("Carrier"), world.make("Carrier", name="PROTECTED")
    header = {"area": "logistics", "functionalDomain": "carrier", "action": "DELETE"}
    match = match_of(open_one, protected)
    with ruled(world, rule(header, filter="name:PROTECTED")):
        world.play(delete("Carrier", match, "acme-user", status=403, code="access.denied"))
    world.play(delete("Carrier", match, "acme-user", removed=2))


def test_audited_records_have_a_last_revision(world: World) -> None:
    orders = [world.make("Order") for _each in range(2)]
    world.play(delete("Order", match_of(*orders), removed=2))
    for order in orders:
        rows = world.documents["revisions"].find({"recordId": order["id"]}, sort=[("_id", 1)])
        assert [one["action"] for one in rows] == ["CREATE", "DELETE"]


def test_scopes_bound_what_is_deleted(world: World) -> None:
    north, south = world.make("Carrier", "acme-north"), world.make("Carrier", "acme-south")
    world.play(delete("Carrier", match_of(north, south), "globex", has={"matched": 0}))
    world.play(delete("Carrier", match_of(north, south), "acme-north", removed=1, has={"deleted": 1}))
    assert world.read("Carrier", south) == south


def test_records_that_change_meanwhile_are_deleted_or_kept_whole(world: World) -> None:
    """Eight requests delete the same records while others rename them out of the filter."""
    for turn in range(5):
        name = f"RACE-{turn}"
        made = [world.make("Carrier", name=name) for _each in range(6)]

        def remove(_number: int, name: str = name) -> Any:
            body = {"rootType": "Carrier", "query": f"name:{name}"}
            return world.ask("POST /api/query/deleteMany", json=body)

        def rename(record: Document) -> Any:
            path = f"PATCH /logistics/carriers/id/{record['id']}"
            return world.ask(path, content='{"name": "SAVED"}', headers=PATCHES)

        with ThreadPoolExecutor(4) as pool:
            removals = pool.map(remove, range(4))
            renames = list(pool.map(rename, made[:3]))
            answers = list(removals)
        assert {one.status_code for one in answers} == {200}, [one.text for one in answers]
        assert {one.status_code for one in renames} <= {200, 404}
        left = {str(row["_id"]): row for row in world.documents["carriers"].find({"_id": {"$in": [
            ObjectId(one["id"]) for one in made]}})}  # fmt: skip
        assert all(row["name"] == "SAVED" for row in left.values())
        assert len(left) == sum(one.status_code == 200 for one in renames)
        assert sum(one.json()["deleted"] for one in answers) == 6 - len(left)


def test_a_new_referrer_and_a_deletion_do_not_pass_each_other(world: World) -> None:
    for _turn in range(5):
        customers = [world.make("Customer") for _each in range(3)]
        shipment = world.sample("Shipment") | {"customer": {"entityId": customers[1]["id"]}}
        with ThreadPoolExecutor(2) as pool:
            body = {"rootType": "Customer", "query": match_of(*customers)}
            gone = pool.submit(world.ask, "POST /api/query/deleteMany", json=body)
            made = pool.submit(world.ask, "POST /logistics/shipments", json=shipment)
        found = (gone.result().status_code, made.result().status_code)
        assert found in ((200, 422), (409, 201)), (gone.result().text, made.result().text)
        left = world.documents["customers"].count_documents(
            {"_id": {"$in": [ObjectId(one["id"]) for one in customers]}}
        )
        assert left == (0 if found[0] == 200 else 3)


def test_a_request_of_two_thousand_fits_into_a_transaction(world: World) -> None:
    template = world.documents["customers"].find_one(
        {"_id": ObjectId(world.make("Customer", name="MANY")["id"])}
    )
    assert template is not None
    rows = [template | {"_id": (one := ObjectId()), "refName": f"MANY-{one}"} for _each in range(1999)]
    world.documents["customers"].insert_many(rows)
    world.play(delete("Customer", "name:MANY", removed=2000, has={"deleted": 2000}))
