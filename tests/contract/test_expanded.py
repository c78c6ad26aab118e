"""Rows with records in place of references, against the schema that the document gives for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pymongo import MongoClient
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from tests.documents import list_operations
from tests.http.documented import PUBLISHED
from tests.http.world import NOWHERE, World, open_world

ORDERS = "/logistics/orders"
BODIES = {
    path: operation["responses"]["200"]["content"]["application/json"]
    for path, _method, operation in list_operations(PUBLISHED)
    if path in (f"{ORDERS}/list", f"{ORDERS}/find", f"{ORDERS}/refName/{{refName}}")
}
BY_NAME = BODIES.pop(f"{ORDERS}/refName/{{refName}}")
PAGES = {path: body["schema"]["$ref"] for path, body in BODIES.items()}
"""The schema of a page, by path."""


@pytest.fixture(scope="module")
def world(
    mongo_uri: str, mongo_client: MongoClient[dict[str, Any]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[World]:
    """A service with an order whose references lead somewhere, and one whose do not."""
    with open_world(mongo_uri, mongo_client, data_folder=tmp_path_factory.mktemp("keys")) as opened:
        shipments = [{"entityId": opened.make("Shipment")["id"]}]
        items = [{"product": opened.ref("Product"), "quantity": 1, "price": "1.00"}]
        for name in ("X-1", "X-LOST"):
            opened.make("Order", refName=name, items=items, shipments=shipments)
        lost = {"entityId": NOWHERE}
        opened.documents["orders"].update_one(
            {"refName": "X-LOST"},
            {"$set": {"customer": lost, "shipments": [lost], "items.0.product": lost}},
        )
        yield opened


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize(
    "terms",
    [
        {},
        {"expand": "customer"},
        {"expand": "shipments[*].origin.country"},
        {"expand": "customer,shipments,items[*].product"},
        {"expand": "customer,items.product", "projection": "+refName"},
        {"projection": "-items.price"},
        {"projection": "+refName,+items.quantity,+dataDomain.ownerId,+persistentEvents.date"},
    ],
    ids=str,
)
def test_rows_fit_their_schema(world: World, path: str, terms: dict[str, str]) -> None:
    terms = {"filter": "refName:X-*", "sort": "refName", **terms}
    request = {"json": terms} if path.endswith("find") else {"params": terms}
    answer = world.ask(f"{'POST' if 'json' in request else 'GET'} {path}", **request)
    assert [row.get("refName") for row in answer.json()["rows"]] == ["X-1", "X-LOST"]
    assert list_problems(PAGES[path], answer.json()) == []


@pytest.mark.parametrize("name", ["X-1", "X-LOST"])
@pytest.mark.parametrize(
    ("schema", "terms"),
    [("schema", {}), ("x-expanded-schema", {"expand": "customer,shipments[*].origin,items.product"})],
    ids=lambda one: str(one),
)
def test_single_records_fit_their_schema(world: World, name: str, schema: str, terms: dict[str, str]) -> None:
    answer = world.ask(f"GET {ORDERS}/refName/{name}", params=terms)
    assert list_problems(BY_NAME[schema]["$ref"], answer.json()) == []


@pytest.mark.parametrize("value", [7, [], {"entityId": 7}], ids=str)
def test_the_schema_of_a_reference_does_not_take_anything(value: object) -> None:
    row = {"id": NOWHERE, "customer": value}
    assert list_problems("#/components/schemas/OrderRow", row)


def list_problems(reference: str, value: object) -> list[str]:
    """List what a schema of the document does not accept in a value."""
    registry = Registry[Any]().with_resource("urn:d", Resource(contents=PUBLISHED, specification=DRAFT202012))
    validator = Draft202012Validator({"$ref": f"urn:d{reference}"}, registry=registry)
    return [one.message[:200] for one in validator.iter_errors(value)]
