"""64 writers on one record: no fault, no lost update, no illegal transition."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from generated.record_types import SHIPMENT
from runtime.model.state_graph import StateGraph
from tests.http.world import World

MANY = 64
SHIPMENTS = "/logistics/shipments"
GRAPH: StateGraph = SHIPMENT.states["status"]


def at_once(ask: Any) -> list[Any]:
    """The answers of ``MANY`` requests sent side by side."""
    with ThreadPoolExecutor(MANY) as pool:
        return list(pool.map(ask, range(MANY)))


def patch(world: World, record_id: str, body: dict[str, Any]) -> Any:
    headers = {"Content-Type": "application/merge-patch+json"}
    return world.ask(f"PATCH {SHIPMENTS}/id/{record_id}", json=body, headers=headers)


def test_partial_writes_lose_no_update(world: World) -> None:
    """Each acknowledged write changes a field of its own: all of them are there in the end."""
    made = world.make("Customer")

    def ask(n: int) -> Any:
        path = f"dynamicAttributes.writers.w{n}"
        return world.ask(f"PUT /logistics/customers/set?id={made['id']}&pairs={path}:{n}")

    answers = at_once(ask)
    assert Counter(answer.status_code for answer in answers) == {200: MANY}
    found = world.read("Customer", made)
    assert found["dynamicAttributes"]["writers"].keys() == {f"w{n}" for n in range(MANY)}
    assert found["version"] == 1 + MANY


def test_moves_that_exclude_each_other_have_one_winner(world: World) -> None:
    made = world.make("Shipment")
    targets = ("IN_TRANSIT", "CANCELLED")
    answers = at_once(lambda n: patch(world, made["id"], {"status": targets[n % 2]}))
    statuses = Counter(answer.status_code for answer in answers)
    assert statuses.keys() <= {200, 409, 422}
    won = {answer.json()["status"] for answer in answers if answer.status_code == 200}
    assert len(won) == 1
    assert world.read("Shipment", made)["status"] in won


def test_a_record_never_leaves_its_graph(world: World) -> None:
    """Everybody moves somewhere, by every route; the states by version are a walk along the graph."""
    made = world.make("Shipment")
    states = list(GRAPH.states)
    body = world.sample("Shipment") | {"id": made["id"]}

    def ask(n: int) -> Any:
        state = states[n % len(states)]
        if n % 3 == 0:
            return world.ask(f"PUT {SHIPMENTS}/set?id={made['id']}&pairs=status:{state}")
        if n % 3 == 1:
            return patch(world, made["id"], {"status": state})
        return world.ask(f"POST {SHIPMENTS}", json=body | {"status": state})

    answers = at_once(ask)
    assert {answer.status_code for answer in answers} <= {200, 409, 422}
    reached = {1: "BOOKED"}
    for record in (answer.json() for answer in answers if answer.status_code == 200):
        assert record["version"] not in reached, "two writes made one version"
        reached[record["version"]] = record["status"]
    assert sorted(reached) == list(range(1, len(reached) + 1))
    for version in range(2, len(reached) + 1):
        GRAPH.check_move("status", reached[version - 1], reached[version])
    assert world.read("Shipment", made)["status"] == reached[len(reached)]
