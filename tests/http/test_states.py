"""GET states and transitions: the graphs, and where a caller may take one record."""

from __future__ import annotations

from typing import Any

import pytest

from tests.http.world import NOWHERE, Play, World
from tests.scenario import Scenario

SHIPMENTS = "/logistics/shipments"
NEXT = {
    "BOOKED": ["IN_TRANSIT", "CANCELLED"],
    "IN_TRANSIT": ["DELIVERED", "LOST"],
    "DELIVERED": [],
    "LOST": [],
    "CANCELLED": [],
}


def test_the_graphs_of_a_record_type(play: Play) -> None:
    graph = {"initial": ["BOOKED"], "final": ["DELIVERED", "LOST", "CANCELLED"], "states": NEXT}
    assert play(Scenario("states", f"GET {SHIPMENTS}/states")) == {"status": graph}


@pytest.mark.parametrize(("user", "status"), [(None, 401), ("acme-nobody", 403)], ids=str)
def test_they_are_not_for_everybody(play: Play, user: str | None, status: int) -> None:
    play(Scenario("states", f"GET {SHIPMENTS}/states", user=user, status=status))


def test_where_a_record_may_go(world: World, play: Play) -> None:
    made = world.make("Shipment")
    for version, state in enumerate(("BOOKED", "IN_TRANSIT", "LOST"), start=1):
        if version > 1:
            assert world.ask(f"PUT {SHIPMENTS}/set?id={made['id']}&pairs=status:{state}").status_code == 200
        has = {"status": {"current": state, "next": NEXT[state]}}
        request = f"GET {SHIPMENTS}/id/{made['id']}/transitions"
        answer = play(Scenario("transitions", request, has=has, answers={"ETag": f'"{version}"'}))
        listed = [one for one in world.read("Shipment", made)["actionList"] if one.startswith("transition:")]
        assert listed == [f"transition:{one}" for one in answer["status"]["next"]]


@pytest.mark.parametrize("user", ["globex", "acme-north"])
@pytest.mark.parametrize("record_id", [None, NOWHERE, "xyz"], ids=str)
def test_of_no_record(world: World, play: Play, user: str, record_id: str | None) -> None:
    asked = record_id or world.make("Shipment")["id"]
    said: dict[str, Any] = {"status": 404, "code": "record.not_found"}
    play(Scenario("transitions", f"GET {SHIPMENTS}/id/{asked}/transitions", user=user, **said))


def test_types_without_states_have_neither(world: World, play: Play) -> None:
    made = world.make("Carrier")
    play(Scenario("states", "GET /logistics/carriers/states", status=404))
    play(Scenario("transitions", f"GET /logistics/carriers/id/{made['id']}/transitions", status=404))
