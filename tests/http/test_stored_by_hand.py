"""Records that another tool has put into the store without some of the members that every record has."""

from __future__ import annotations

from typing import Any

import pytest
from bson import ObjectId

from tests.http.world import PATHS, Document, World

MERGE = {"Content-Type": "application/merge-patch+json"}
COLLECTIONS = {"Airport": "airports", "Carrier": "carriers", "Order": "orders", "Customer": "customers"}
OMITTED: Any = ...

LACKING = {
    f"{name} {word}": {name: value}
    for name in ("refName", "version", "displayName", "auditInfo")
    for word, value in (("null", None), ("omitted", OMITTED))
}
UNSOUND = LACKING | {"version a text": {"version": "1"}, "version a fraction": {"version": 1.5}}
UNSOUND |= {"version true": {"version": True}}
UNSOUND |= {"version a whole double": {"version": 1.0}}  # as a shell stores a 1 that is typed in


def spoil(world: World, kind: str, made: Document, change: Document) -> None:
    (value,) = change.values()
    update = {"$unset": dict.fromkeys(change, "")} if value is OMITTED else {"$set": change}
    collection = world.documents[COLLECTIONS[kind]]
    collection.delete_many({"refName": None})  # of earlier tests: a tenant can have one such record
    collection.update_one({"_id": ObjectId(made["id"])}, update)


def name_of_missing(change: Document) -> str | None:
    return next(
        (
            name
            for name, value in change.items()
            if name in ("refName", "version") and (value != 1 or value is True)
        ),
        None,
    )


@pytest.mark.parametrize("change", UNSOUND.values(), ids=UNSOUND)
@pytest.mark.parametrize("kind", ["Carrier", "Order"])
def test_it_is_read(world: World, kind: str, change: Document) -> None:
    made = world.make(kind)
    spoil(world, kind, made, change)
    path = f"{PATHS[kind]}/id/{made['id']}"
    reads = (
        world.ask(f"GET {path}"),
        world.ask(f"GET {path}", headers={"If-None-Match": '"1"'}),
        world.ask(f"GET {PATHS[kind]}/list?filter=id:{made['id']}&actions=true"),
        world.ask(f"GET {PATHS[kind]}/entityref?filter=id:{made['id']}"),
        world.ask(f"GET {PATHS[kind]}/csv?filter=id:{made['id']}"),
        *([world.ask(f"GET {path}/transitions")] if kind == "Order" else []),
    )
    assert {answer.status_code for answer in reads} <= {200, 304}


@pytest.mark.parametrize("change", UNSOUND.values(), ids=UNSOUND)
@pytest.mark.parametrize("kind", ["Carrier", "Customer"])
def test_a_write_is_done_or_says_what_to_correct(world: World, kind: str, change: Document) -> None:
    body: Document = {"name": "Renamed"}
    missing = name_of_missing(change)
    for word in ("patch", "patch of a version", "save", "bulk set"):
        made = world.make(kind)
        spoil(world, kind, made, change)
        path, record_id = PATHS[kind], made["id"]
        if word == "save":
            answer = world.ask(f"POST {path}", json=made | body)
        elif word == "bulk set":
            sent = {"ids": [record_id], "values": body, "atomic": True}
            answer = world.ask(f"PUT {path}/bulk/set", json=sent)
        else:
            known = {"If-Match": '"1", "1.0"'} if word == "patch of a version" else {}
            answer = world.ask(f"PATCH {path}/id/{record_id}", json=body, headers=MERGE | known)
        if missing is None:
            assert answer.status_code == 200, (word, answer.text)
        else:
            assert answer.status_code == 422, (word, answer.text)
            assert [one["path"] for one in answer.json()["violations"]] == [missing]


@pytest.mark.parametrize("change", UNSOUND.values(), ids=UNSOUND)
def test_it_is_deleted_unless_its_history_needs_a_version(world: World, change: Document) -> None:
    for kind in ("Carrier", "Order"):
        made = world.make(kind)
        spoil(world, kind, made, change)
        answer = world.ask(f"DELETE {PATHS[kind]}/id/{made['id']}")
        expected = 422 if kind == "Order" and name_of_missing(change) == "version" else 204
        assert answer.status_code == expected, answer.text
        world.documents[COLLECTIONS[kind]].delete_one({"_id": ObjectId(made["id"])})


@pytest.mark.parametrize("change", LACKING.values(), ids=LACKING)
def test_others_refer_to_it_and_it_to_others(world: World, change: Document) -> None:
    """The name that a reference copies is the one that a save would give the record."""
    home = world.make("Airport")
    spoil(world, "Airport", home, change)
    made = world.make("Carrier", home={"entityId": home["id"]})
    name = home["id"] if "refName" in change else home["refName"]
    assert made["home"]["entityRefName"] == name
    if "displayName" in change:
        assert made["home"]["entityDisplayName"] == name

    home = world.make("Airport")
    made = world.make("Carrier", home={"entityId": home["id"]})
    spoil(world, "Carrier", made, change)
    path = f"{PATHS['Airport']}/id/{home['id']}"
    renamed = world.ask(f"PATCH {path}", json={"refName": f"new {home['id']}"}, headers=MERGE)
    assert renamed.status_code == 200, renamed.text
    stored = world.documents["carriers"].find_one({"_id": ObjectId(made["id"])}) or {}
    assert stored["home"]["entityRefName"] == f"new {home['id']}"
    for kind, one in (("Carrier", made), ("Airport", home)):
        world.documents[COLLECTIONS[kind]].delete_one({"_id": ObjectId(one["id"])})
