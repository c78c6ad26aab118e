"""Integers with a fraction: to JSON Schema 3.0 and 1e2 are integers, so every body takes them; they stay integers."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.http.world import PATHS, Document, World

SHIPMENTS = PATHS["Shipment"]
JSON = {"Content-Type": "application/json"}
MERGE = {"Content-Type": "application/merge-patch+json"}


@pytest.fixture(scope="module")
def made(world: World) -> Document:
    return world.make("Shipment", lines=[{"sku": "A", "quantity": 2}])


def ask(world: World, request: str, body: str, headers: Document = JSON) -> Any:
    return world.ask(request, content=body.encode(), headers=headers)


def stored(world: World, made: Document) -> list[Any]:
    found = world.documents["shipments"].find_one({"refName": made["refName"]})
    assert found is not None
    return [line["quantity"] for line in found["lines"]]


LINES = '"lines": [{"sku": "A", "quantity": 3.0}, {"sku": "B", "quantity": 1e2}, {"sku": "C", "quantity": 9007199254740993}]'
BODIES: dict[str, tuple[str, str, Document]] = {
    "save": (f"POST {SHIPMENTS}", '{"id": "ID", "refName": "REF", REST', JSON),
    "patch": (f"PATCH {SHIPMENTS}/id/ID", "{REST", MERGE),
    "bulk": (
        f"POST {SHIPMENTS}/bulk",
        '{"operations": [{"op": "save", "record": {"id": "ID", "refName": "REF", REST}]}',
        JSON,
    ),
    "bulk set": (f"PUT {SHIPMENTS}/bulk/set", '{"ids": ["ID"], "values": {REST}', JSON),
    "gateway": (
        "POST /api/query/save",
        '{"rootType": "Shipment", "entity": {"id": "ID", "refName": "REF", REST}',
        JSON,
    ),
}


@pytest.mark.parametrize("way", BODIES)
def test_they_are_taken_and_stored_as_integers(world: World, way: str) -> None:
    made = world.make("Shipment", lines=[{"sku": "A", "quantity": 2}])
    request, body, headers = BODIES[way]
    others = {
        name: value for name, value in made.items() if name not in ("id", "refName", "lines", "version")
    }
    rest = f"{LINES}, {json.dumps(others)[1:]}" if way not in ("patch", "bulk set") else f"{LINES}}}"
    body = body.replace("REST", rest).replace("REF", made["refName"])
    body = body.replace('"ID"', f'"{made["id"]}"')
    answer = ask(world, request.replace("/ID", f"/{made['id']}"), body, headers)
    assert answer.status_code == 200, answer.text
    quantities = stored(world, made)
    assert quantities == [3, 100, 9007199254740993]
    assert all(isinstance(one, int) for one in quantities)
    shown = world.ask(f"GET {SHIPMENTS}/id/{made['id']}").text
    assert '"quantity":3,' in shown.replace(" ", "") or '"quantity":3}' in shown.replace(" ", "")


@pytest.mark.parametrize(
    "value", ["3.5", "-1.0", "1e300", "9007199254740993.0", "9007199254740994.0", '"3"', "true", "NaN"]
)
def test_what_is_no_integer_is_refused_as_ever(world: World, made: Document, value: str) -> None:
    answer = ask(
        world,
        f"PATCH {SHIPMENTS}/id/{made['id']}",
        f'{{"lines": [{{"sku": "A", "quantity": {value}}}]}}',
        MERGE,
    )
    assert answer.status_code == 422, answer.text
    assert stored(world, made) == [2]


def test_the_members_of_a_request_are_taken_as_well(world: World) -> None:
    answer = ask(world, f"POST {SHIPMENTS}/find", '{"limit": 1.0, "skip": 0.0}')
    assert (answer.status_code, answer.json()["limit"]) == (200, 1)
    assert '"limit":1,' in answer.text.replace(" ", "")
