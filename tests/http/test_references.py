"""Back-references on single reads, and names that follow: ``references`` and EntityReference."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from generated.record_types import CUSTOMER
from tests.http.world import NOWHERE, Document, Play, World
from tests.scenario import MISSING, Scenario, at

CUSTOMERS = "/logistics/customers"
SHIPMENTS = "POST /logistics/shipments"


def held_by(world: World, customer: Document, kind: str = "Shipment", **fields: Any) -> Document:
    """A record that tracks the customer."""
    return world.make(kind, customer={"entityId": customer["id"]}, **fields)


class TestReferences:
    def test_name_who_tracks_the_record(self, world: World, play: Play) -> None:
        customer = world.make("Customer", refName="tracked")
        get = f"GET {CUSTOMERS}/id/{customer['id']}"
        play(Scenario("nobody yet", get, lacks=("references",)))
        shipment = held_by(world, customer, refName="S-tracks")
        order = held_by(world, customer, "Order", refName="O-tracks")
        expected = [
            {"referencedId": order["id"], "type": "logistics.Order", "refName": "O-tracks"},
            {"referencedId": shipment["id"], "type": "logistics.Shipment", "refName": "S-tracks"},
        ]
        for request in (get, f"GET {CUSTOMERS}/refName/tracked"):
            found = play(Scenario("two", request, answers={"ETag": '"1"'}))
            assert sorted(found["references"], key=lambda one: str(one["type"])) == expected
        world.ask(f"DELETE /logistics/shipments/id/{shipment['id']}")
        play(Scenario("one left", get, has={"references": expected[:1]}))

    def test_follow_the_child_to_another_parent(self, world: World, play: Play) -> None:
        first, second = world.make("Customer"), world.make("Customer")
        shipment = held_by(world, first)
        moved = shipment | {"customer": {"entityId": second["id"]}}
        play(Scenario("move", SHIPMENTS, body=moved, changed=1))
        assert at(world.read("Customer", first), "references") is MISSING
        assert at(world.read("Customer", second), "references[0].referencedId") == shipment["id"]

    def test_a_renamed_child_is_named_as_it_is_now(self, world: World) -> None:
        customer = world.make("Customer")
        shipment = held_by(world, customer, refName="S-before")
        world.ask(SHIPMENTS, json=shipment | {"refName": "S-after"})
        assert at(world.read("Customer", customer), "references[0].refName") == "S-after"

    @pytest.mark.parametrize(("user", "shown"), [("acme-north", 1), ("acme", 2), ("system", 2)])
    def test_only_as_far_as_the_caller_may_see(self, world: World, user: str, shown: int) -> None:
        customer = world.make("Customer", "acme-north")
        to = {"entityId": customer["id"]}
        world.make("Order", "acme-north", customer=to)
        world.make("Shipment", "acme", customer=to)
        assert len(world.read("Customer", customer, user)["references"]) == shown

    def test_are_not_taken_from_a_client_nor_counted_as_a_change(self, world: World, play: Play) -> None:
        customer = world.make("Customer")
        shipment = held_by(world, customer)
        read = world.read("Customer", customer)
        forged = [{"referencedId": "0" * 24, "type": "logistics.Order", "refName": "forged"}]
        now = play(
            Scenario(
                "send back", f"POST {CUSTOMERS}", body=read | {"references": forged}, changed=1,
                has={"version": 2}, silent_on=("forged",),
            )
        )  # fmt: skip
        assert now["auditInfo"]["createdDate"] == customer["auditInfo"]["createdDate"]
        assert at(world.read("Customer", customer), "references[0].referencedId") == shipment["id"]

    def test_lists_leave_them_out(self, world: World, play: Play) -> None:
        customer = world.make("Customer", refName="listed")
        held_by(world, customer)
        play(
            Scenario(
                "list", f"GET {CUSTOMERS}/list?filter=refName:listed",
                has={"rowCount": 1}, lacks=("rows[0].references",), silent_on=("_lock",),
            )
        )  # fmt: skip

    def test_the_lock_of_the_store_is_no_field(self, world: World, play: Play) -> None:
        held_by(world, world.make("Customer"))
        for word in ("filter=_lock:~", "sort=_lock", "projection=_lock"):
            play(Scenario(word, f"GET {CUSTOMERS}/list?{word}", status=400))


class TestCopies:
    def test_a_rename_reaches_every_record_that_refers_to_it(self, world: World, play: Play) -> None:
        customer = world.make("Customer", refName="c-old", name="Old")
        shipment = held_by(world, customer, refName="S-copy")
        order = held_by(world, customer, "Order", refName="O-copy")
        world.ask(
            f"POST {CUSTOMERS}", json=customer | {"refName": "c-new", "name": "New", "displayName": None}
        )
        for kind, record in (("Shipment", shipment), ("Order", order)):
            now = world.read(kind, record)
            copied = (now["customer"]["entityRefName"], now["customer"]["entityDisplayName"])
            assert copied == ("c-new", "New")
            assert (now["version"], now["auditInfo"]) == (record["version"], record["auditInfo"])
        assert world.read("Order", order)["displayName"] == "O-copy of c-new"
        query = "GET /logistics/shipments/list?filter=customer.entityRefName:c-new"
        play(Scenario("found by the new name", query, has={"rowCount": 1, "rows[0].refName": "S-copy"}))

    @pytest.mark.parametrize("again", ["POST", "PATCH"])
    def test_nothing_that_is_sent_in_their_place_is_stored(self, world: World, again: str) -> None:
        """Not even where the reference stays the same."""
        airport = world.make("Airport")
        names = {"entityType": "Airport", "entityRefName": airport["refName"]}
        true = {"entityId": airport["id"], **names, "entityDisplayName": airport["displayName"]}
        false = dict.fromkeys((*true, "realm"), "other") | {"entityId": airport["id"]}
        shipment = world.make("Shipment", origin=false)
        assert shipment["origin"] == true
        path, headers = "/logistics/shipments", {"Content-Type": "application/json"}
        if again == "PATCH":
            path, headers = f"{path}/id/{shipment['id']}", {"Content-Type": "application/merge-patch+json"}
        sent = {**(shipment if again == "POST" else {}), "origin": false}
        answer = world.ask(f"{again} {path}", json=sent, headers=headers)
        assert (answer.status_code, answer.json()["origin"]) == (200, true)

    def test_untracked_ones_and_those_in_lists(self, world: World) -> None:
        airport, product = world.make("Airport", name="Old"), world.make("Product", name="Old")
        shipment = world.make("Shipment", origin={"entityId": airport["id"]})
        item = {"product": {"entityId": product["id"]}, "quantity": 1, "price": "1.00"}
        order = world.make("Order", items=[*world.sample("Order")["items"], item])
        for path, record in (("airports", airport), ("products", product)):
            body = record | {"refName": f"{path}-new"}
            assert world.ask(f"POST /logistics/{path}", json=body).status_code == 200
        assert at(world.read("Shipment", shipment), "origin.entityRefName") == "airports-new"
        now = world.read("Order", order)
        assert at(now, "items[1].product.entityRefName") == "products-new"
        assert at(now, "items[0].product") == order["items"][0]["product"]


@pytest.fixture
def buyers() -> Iterator[None]:
    """Customers as a record type that was renamed."""
    try:
        object.__setattr__(CUSTOMER, "title", "Buyer")
        yield
    finally:
        object.__setattr__(CUSTOMER, "title", "")


@pytest.mark.usefixtures("buyers")
@pytest.mark.parametrize("door", ["save", "bulk", "csv"])
def test_a_missing_record_of_a_renamed_type_is_called_as_today(world: World, door: str) -> None:
    shipment = world.sample("Shipment") | {"customer": {"entityId": NOWHERE}}
    if door == "save":
        answer = world.ask(SHIPMENTS, json=shipment)
    elif door == "bulk":
        operations = [{"op": "save", "record": shipment | {"refName": f"none-{at}"}} for at in range(2)]
        answer = world.ask(f"{SHIPMENTS}/bulk", json={"operations": operations, "atomic": False})
    else:
        file = ("rows.csv", "refName,customer\nnone,nobody\n", "text/csv")
        columns = "refName,customer.entityRefName"
        answer = world.ask(f"{SHIPMENTS}/csv?requestedColumns={columns}", files={"file": file})
    assert f"no Buyer has the {'refName nobody' if door == 'csv' else f'id {NOWHERE}'}" in answer.text
