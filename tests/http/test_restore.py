"""Records that are archived when they are deleted, and come back."""

from __future__ import annotations

from typing import Any

import pytest

from tests.http.world import NOWHERE, Document, Play, World
from tests.scenario import Scenario

PRODUCTS = "/logistics/products"


def restore(record: Document, **expected: Any) -> Scenario:
    return Scenario("restore", f"POST {PRODUCTS}/id/{record['id']}/restore", **expected)


@pytest.fixture
def archived(world: World) -> Document:
    """A product after its deletion."""
    made = world.make("Product")
    assert world.ask(f"DELETE {PRODUCTS}/id/{made['id']}").status_code == 204
    found = world.read("Product", made)
    assert (found["activeStatus"], found["version"]) == ("ARCHIVED", 2)
    return found


def listed(world: World, record: Document, more: str = "") -> int:
    answer = world.ask(f"GET {PRODUCTS}/list?filter=refName:{record['refName']}{more}")
    return int(answer.json()["rowCount"])


def test_an_archived_record_comes_back(world: World, play: Play, archived: Document) -> None:
    assert (listed(world, archived), listed(world, archived, "%26%26activeStatus:ARCHIVED")) == (0, 1)
    answer = play(restore(archived, changed=1, has={"activeStatus": "ACTIVE", "version": 3}))
    changed = {"activeStatus", "version", "auditInfo"}
    assert {k: v for k, v in answer.items() if k not in changed} == {
        k: v for k, v in archived.items() if k not in changed
    }
    assert listed(world, archived) == 1


def test_the_record_says_who_archived_it_and_who_brought_it_back(world: World) -> None:
    made = world.make("Product")
    path = f"{PRODUCTS}/id/{made['id']}"
    assert world.ask(f"DELETE {path}", "acme-user").status_code == 204
    archived = world.read("Product", made)["auditInfo"]
    assert archived["lastUpdatedBy"] == "user@acme.example" != made["auditInfo"]["createdBy"]
    assert archived["lastUpdatedDate"] >= made["auditInfo"]["lastUpdatedDate"]
    assert (
        archived.items() >= {name: made["auditInfo"][name] for name in ("createdBy", "createdDate")}.items()
    )
    restored = world.ask(f"POST {path}/restore").json()["auditInfo"]
    assert restored["lastUpdatedBy"] == made["auditInfo"]["createdBy"]


def test_a_second_deletion_changes_nothing(play: Play, archived: Document) -> None:
    delete, record_id = f"DELETE {PRODUCTS}/id/{archived['id']}", archived["id"]
    play(Scenario("again", delete, status=204))
    play(Scenario("this version", delete, headers={"If-Match": '"2"'}, status=204))
    play(Scenario("another version", delete, headers={"If-Match": '"1"'}, status=412))
    play(Scenario("dry", f"{delete}?dryRun=true", status=204))
    keyed = {"Idempotency-Key": f"d-{record_id}"}
    play(Scenario("with a key", delete, headers=keyed, status=204, answers={"Idempotency-Replayed": None}))
    play(Scenario("its repeat", delete, headers=keyed, status=204, answers={"Idempotency-Replayed": "true"}))
    operations = [{"op": "delete", "id": record_id}]
    for is_atomic in (True, False):
        body = {"operations": operations, "atomic": is_atomic}
        play(Scenario("in bulk", f"POST {PRODUCTS}/bulk", body=body))
    many = {"rootType": "Product", "query": f"id:{record_id} && activeStatus:ARCHIVED"}
    play(Scenario("by a query", "POST /api/query/deleteMany", body=many))


@pytest.mark.parametrize("status", ["ACTIVE", "INACTIVE"])
def test_only_an_archived_record_does(world: World, play: Play, status: str) -> None:
    made = world.make("Product", activeStatus=status)
    play(restore(made, status=409, code="record.not_archived", says=(status,)))


def test_terms(play: Play, archived: Document) -> None:
    play(restore(archived, headers={"If-Match": '"1"'}, status=412))
    play(restore(archived, headers={"If-None-Match": "*"}, status=412))
    dry = f"POST {PRODUCTS}/id/{archived['id']}/restore?dryRun=true"
    play(Scenario("dry", dry, has={"activeStatus": "ACTIVE"}, answers={"Dry-Run": "true"}))
    headers = {"If-Match": '"2"', "Prefer": "return=minimal", "Idempotency-Key": f"r-{archived['id']}"}
    play(restore(archived, headers=headers, status=204, changed=1))
    play(restore(archived, headers=headers, status=204, answers={"Idempotency-Replayed": "true"}))


@pytest.mark.parametrize("user", ["globex", "acme-north"])
def test_a_foreign_record_is_as_good_as_absent(play: Play, archived: Document, user: str) -> None:
    play(restore(archived, user=user, status=404, code="record.not_found"))
    play(restore({"id": NOWHERE}, user=user, status=404, code="record.not_found"))


def test_a_full_replace_leaves_it_archived_unless_it_says_otherwise(
    world: World, play: Play, archived: Document
) -> None:
    body = {name: archived[name] for name in ("id", "sku", "name", "price")}
    save = f"POST {PRODUCTS}"
    play(Scenario("quiet", save, body=body | {"name": "x"}, changed=1, has={"activeStatus": "ARCHIVED"}))
    body |= {"activeStatus": "ACTIVE"}
    play(Scenario("said", save, body=body, changed=1, has={"activeStatus": "ACTIVE"}))


def test_a_deleted_record_is_not_deleted_again_by_who_names_its_version(
    play: Play, archived: Document
) -> None:
    request = f"DELETE {PRODUCTS}/id/{archived['id']}"
    play(Scenario("again", request, headers={"If-Match": '"1"'}, status=412))


def test_types_that_remove_have_no_restore(world: World, play: Play) -> None:
    made = world.make("Carrier")
    play(Scenario("restore", f"POST /logistics/carriers/id/{made['id']}/restore", status=404))
