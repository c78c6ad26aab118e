"""dryRun=true: every check and the answer of the real thing, and nothing stored."""

from __future__ import annotations

from typing import Any

import pytest

from tests.http.world import NOWHERE, Document, Play, World
from tests.scenario import Scenario

CARRIERS = "/logistics/carriers"
SAVE = f"POST {CARRIERS}"
DRY = f"{SAVE}?dryRun=true"
LINE = {"name": "Atlantic Air Cargo", "mode": "AIR"}
TOLD = {"dry-run": "true"}


def test_an_insert(world: World, play: Play) -> None:
    answers = TOLD | {"location": None, "etag": '"1"'}
    told = play(Scenario("dry", DRY, body=LINE | {"refName": "dry"}, status=201, answers=answers))
    real = play(
        Scenario(
            "real", SAVE, body=LINE | {"refName": "dry"}, status=201, stored=1, answers={"dry-run": None}
        )
    )
    varying = {"id", "auditInfo"}
    assert {k: v for k, v in told.items() if k not in varying} == {
        k: v for k, v in real.items() if k not in varying
    }
    assert world.ask(f"GET {CARRIERS}/id/{told['id']}").status_code == 404


def test_a_replace(world: World, play: Play) -> None:
    made = world.make("Carrier")
    body = LINE | {"id": made["id"], "name": "Renamed"}
    play(
        Scenario("dry", DRY, body=body, has={"version": 2, "name": "Renamed"}, answers=TOLD | {"etag": '"2"'})
    )
    assert world.read("Carrier", made) == made


def test_a_delete(world: World, play: Play) -> None:
    made = world.make("Carrier")
    play(Scenario("dry", f"DELETE {CARRIERS}/id/{made['id']}?dryRun=true", status=204, answers=TOLD))
    assert world.read("Carrier", made) == made


def test_without_the_record(play: Play) -> None:
    answers = TOLD | {"preference-applied": "return=minimal", "content-length": "0"}
    play(Scenario("dry", DRY, body=LINE, headers={"Prefer": "return=minimal"}, status=201, answers=answers))


def test_said_to_be_real(play: Play) -> None:
    play(Scenario("real", f"{SAVE}?dryRun=false", body=LINE, status=201, stored=1, answers={"dry-run": None}))


def test_no_revision_and_no_event(world: World) -> None:
    order = world.make("Order")
    before = world.documents["revisions"].count_documents({})
    body = {key: order[key] for key in ("id", "customer", "items")} | {"currency": "USD"}
    told = world.ask("POST /logistics/orders?dryRun=true", json=body).json()
    assert [event["version"] for event in told["persistentEvents"]] == [1, 2]
    assert world.ask(f"DELETE /logistics/orders/id/{order['id']}?dryRun=true").status_code == 204
    assert world.documents["revisions"].count_documents({}) == before
    assert world.read("Order", order) == order


REFUSED: dict[str, tuple[Document, dict[str, str], int, str]] = {
    "a name that is taken": ({"refName": "taken"}, {}, 409, "record.duplicate"),
    "not of the enumeration": ({"mode": "BOAT"}, {}, 422, "record.invalid"),
    "an unknown member": ({"nmae": "x"}, {}, 400, "request.unknown_member"),
    "a version of no record": ({"id": NOWHERE, "version": 3}, {}, 409, "record.version_conflict"),
    "If-Match without a record": ({}, {"If-Match": '"1"'}, 412, "record.precondition_failed"),
    "another tenant": ({"dataDomain": {"tenantId": "globex"}}, {}, 403, "access.denied"),
}


@pytest.mark.parametrize(("members", "headers", "status", "code"), REFUSED.values(), ids=REFUSED.keys())
def test_refused_as_the_real_thing(
    world: World, play: Play, members: Document, headers: dict[str, str], status: int, code: str
) -> None:
    world.ask(SAVE, json=LINE | {"refName": "taken"})
    for request in (SAVE, DRY):
        play(Scenario("save", request, body=LINE | members, headers=headers, status=status, code=code))


def test_states_and_references(world: World, play: Play) -> None:
    made = world.make("Shipment")
    body = world.sample("Shipment") | {"id": made["id"]}
    for members, code in (
        ({"status": "DELIVERED"}, "state.transition"),
        ({"customer": {"entityId": NOWHERE}}, "reference.missing"),
    ):
        play(
            Scenario(
                "dry", "POST /logistics/shipments?dryRun=true", body=body | members, status=422, code=code
            )
        )
    moved = body | {"status": "IN_TRANSIT"}
    play(Scenario("dry", "POST /logistics/shipments?dryRun=true", body=moved, has={"status": "IN_TRANSIT"}))
    assert world.read("Shipment", made)["status"] == made["status"]


def test_a_delete_that_is_refused(world: World, play: Play) -> None:
    made = world.make("Carrier")
    path = f"DELETE {CARRIERS}/id/{made['id']}?dryRun=true"
    play(Scenario("stale", path, headers={"If-Match": '"7"'}, status=412))
    play(Scenario("foreign", path, user="globex", status=404))
    play(Scenario("absent", f"DELETE {CARRIERS}/id/{NOWHERE}?dryRun=true", status=404))


def test_a_record_that_others_track_is_not_said_to_go(world: World, play: Play) -> None:
    shipment = world.make("Shipment")
    customer = shipment["customer"]["entityId"]
    path = f"DELETE /logistics/customers/id/{customer}?dryRun=true"
    play(Scenario("tracked", path, status=409, code="reference.in_use"))


class TestBulk:
    def operations(self, made: Document) -> list[Document]:
        return [
            {"op": "save", "record": LINE | {"refName": f"dry-{made['id']}"}},
            {"op": "save", "record": LINE | {"id": made["id"], "name": "Renamed"}},
            {"op": "delete", "id": made["id"]},
        ]

    @pytest.mark.parametrize("atomic", [True, False])
    def test_nothing_is_stored(self, world: World, play: Play, atomic: bool) -> None:
        made = world.make("Carrier")
        body = {"operations": self.operations(made), "atomic": atomic}
        told = play(
            Scenario(
                "dry", f"{SAVE}/bulk?dryRun=true", body=body, has={"saved": 2, "deleted": 1}, answers=TOLD
            )
        )
        assert [result["status"] for result in told["results"]] == [201, 200, 204]
        assert world.read("Carrier", made) == made

    @pytest.mark.parametrize(("atomic", "status"), [(True, 409), (False, 200)])
    def test_failures_are_told(self, world: World, play: Play, atomic: bool, status: int) -> None:
        taken = world.make("Carrier", refName=f"bulk-taken-{atomic}")
        records = [LINE | {"refName": taken["refName"]}, LINE]
        body: Any = {"operations": [{"op": "save", "record": one} for one in records], "atomic": atomic}
        told = play(Scenario("dry", f"{SAVE}/bulk?dryRun=true", body=body, status=status))
        if atomic:
            assert (told["code"], told["index"]) == ("record.duplicate", 0)
        else:
            assert [result["status"] for result in told["results"]] == [409, 201]

    def test_atomic_operations_see_each_other(self, world: World, play: Play) -> None:
        body = {"operations": [{"op": "save", "record": LINE | {"refName": "twin"}}] * 2, "atomic": True}
        play(Scenario("dry", f"{SAVE}/bulk?dryRun=true", body=body, status=409, code="record.duplicate"))


@pytest.mark.parametrize(
    "query", ["dryRun=yes", "dryRun=", "dryRun=TRUE", "dryRun=true&dryRun=false", "dryrun=true"]
)
def test_a_misspelt_dry_run_writes_nothing(play: Play, query: str) -> None:
    play(Scenario(query, f"{SAVE}?{query}", body=LINE, status=400))


def test_reads_know_no_dry_run(play: Play) -> None:
    play(Scenario("list", f"GET {CARRIERS}/list?dryRun=true", status=400, code="request.unknown_parameter"))
