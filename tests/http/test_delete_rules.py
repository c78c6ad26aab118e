"""A record that others track stays until they have gone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.http.world import NOWHERE, Document, Play, World
from tests.scenario import Scenario

BULK = "POST /logistics/customers/bulk"


def delete(kind: str, record: Document) -> str:
    return f"DELETE /logistics/{kind}/id/{record['id']}"


def shipments_of(world: World, customer: Document, *names: str, **fields: Any) -> list[Document]:
    to = {"entityId": customer["id"]}
    return [world.make("Shipment", customer=to, refName=name, **fields) for name in names]


def test_a_customer_with_three_shipments(world: World, play: Play) -> None:
    customer = world.make("Customer")
    shipments = shipments_of(world, customer, "held-1", "held-2", "held-3")
    referrers = [{"type": "logistics.Shipment", "count": 3, "refNames": ["held-1", "held-2", "held-3"]}]
    said: dict[str, Any] = {"status": 409, "code": "reference.in_use", "says": ("3 logistics.Shipment",)}
    play(Scenario("refused", delete("customers", customer), has={"referrers": referrers}, **said))
    for shipment in shipments:
        play(Scenario("a shipment goes", delete("shipments", shipment), status=204, removed=1))
    play(Scenario("free", delete("customers", customer), status=204, removed=1))


def test_each_type_is_told_and_five_are_named(world: World, play: Play) -> None:
    customer = world.make("Customer")
    shipments_of(world, customer, *(f"many-{n}" for n in range(7)))
    world.make("Order", customer={"entityId": customer["id"]}, refName="one-order")
    answer = play(Scenario("refused", delete("customers", customer), status=409))
    told = {one["type"]: (one["count"], one["refNames"]) for one in answer["referrers"]}
    assert told == {
        "logistics.Shipment": (7, [f"many-{n}" for n in range(5)]),
        "logistics.Order": (1, ["one-order"]),
    }


def test_referrers_that_the_caller_cannot_see_hold_all_the_same(world: World, play: Play) -> None:
    customer = world.make("Customer", "acme-north")
    shipments_of(world, customer, "unseen")
    play(
        Scenario(
            "refused", delete("customers", customer), user="acme-north", status=409,
            says=("records that you may not see refer to this Customer",), has={"referrers": []},
            silent_on=("unseen", "Shipment"),
        )
    )  # fmt: skip


def test_preconditions_and_absence_come_first(world: World, play: Play) -> None:
    customer = world.make("Customer")
    shipments_of(world, customer, "later")
    stale = {"If-Match": '"7"'}
    play(Scenario("stale", delete("customers", customer), headers=stale, status=412))
    play(Scenario("foreign", delete("customers", customer), user="globex", status=404))
    play(Scenario("absent", f"DELETE /logistics/customers/id/{NOWHERE}", status=404))


@pytest.mark.parametrize("atomic", [True, False])
def test_in_bulk_too(world: World, play: Play, atomic: bool) -> None:
    held, free = world.make("Customer"), world.make("Customer")
    shipments_of(world, held, f"bulk-{atomic}")
    operations = [{"op": "delete", "id": one["id"]} for one in (free, held)]
    body = {"atomic": atomic, "operations": operations}
    if atomic:
        has = {"index": 1, "referrers[0].count": 1}
        play(Scenario("all or none", BULK, body=body, status=409, code="reference.in_use", has=has))
    else:
        has = {"results[0].status": 204, "results[1].status": 409, "deleted": 1, "failed": 1}
        play(Scenario("each by itself", BULK, body=body, removed=1, has=has))


def test_a_new_shipment_against_the_removal_of_its_customer(world: World) -> None:
    """Whoever comes first: never a shipment without its customer, never an answer of 500."""
    for _round in range(3):
        customer = world.make("Customer")
        body = world.sample("Shipment") | {"customer": {"entityId": customer["id"]}}

        def ask(n: int, customer: Document = customer, body: Document = body) -> Any:
            if n % 4 == 1:
                return world.ask(delete("customers", customer))
            return world.ask("POST /logistics/shipments", json=body)

        with ThreadPoolExecutor(12) as pool:
            codes = [answer.status_code for answer in pool.map(ask, range(12))]
        assert set(codes) <= {201, 204, 404, 409, 422, 503}, codes
        there = world.documents["customers"].find_one({"refName": customer["refName"]}) is not None
        pointing = world.documents["shipments"].count_documents(
            {"customer.entityRefName": customer["refName"]}
        )
        assert pointing == codes.count(201)
        assert there if pointing else codes.count(204) == 1
