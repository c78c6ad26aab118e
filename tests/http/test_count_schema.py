"""GET {basePath}/count and /schema: what matches, and what a record looks like."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from generated.record_types import CATALOG
from tests.http.world import PATHS, Document, Play, World
from tests.scenario import Scenario

COUNT = "GET /logistics/carriers/count"
KINDS = sorted(kind for kind in PATHS if {"schema", "list"} <= CATALOG[kind].operations)

FULL: dict[str, Document] = {
    "Carrier": {"active": False},
    "Customer": {
        "email": "a@b.example", "billing": {"street": "Rua Augusta 1", "city": "Lisbon", "country": "PT"},
        "shipTo": [{"street": "12 Bath Road", "postalCode": "TW6", "city": "London", "country": "GB"}],
        "credit": "2500.00", "since": "2024-05-17",
        "dynamicAttributes": {"set": {"name": {"type": "Object", "value": {"any": [1, None, "x"]}}}},
    },
    "Airport": {"iata": "LIS", "city": "Lisbon", "elevationFt": 374, "latitude": 38.7813, "longitude": -9},
    "Product": {"weightKg": "0.400", "tags": ["red"], "details": "x"},
    "Shipment": {
        "weightKg": 12.5, "departsAt": "2026-03-27T04:12:14.118Z", "notes": "x", "customsToken": "hush",
        "lines": [{"sku": "A", "quantity": 40}],
    },
    "Order": {"placedAt": "2026-03-25T10:00:00Z", "currency": "GBP"},
}  # fmt: skip
"""Optional members, so that each kind of value is read back."""


@pytest.fixture(scope="module")
def carriers(world: World) -> None:
    for user, mode in (("acme", "AIR"), ("acme", "SEA"), ("acme-north", "AIR"), ("globex", "AIR")):
        world.make("Carrier", user, mode=mode)


@pytest.mark.parametrize(
    ("user", "query", "number"),
    [
        pytest.param("acme", "", 3, id="all of the tenant"),
        pytest.param("acme", "?filter=mode:AIR", 2, id="filtered"),
        pytest.param("acme", "?filter=", 3, id="empty filter"),
        pytest.param("acme", "?filter=%20%09", 3, id="blank filter"),
        pytest.param("acme", "?filter=dataDomain.tenantId:globex", 0, id="a foreign tenant counts nothing"),
        pytest.param("acme-north", "", 1, id="all of the org"),
        pytest.param("acme-south", "", 0, id="none of the org"),
        pytest.param("globex", "?filter=mode:AIR || mode:SEA", 1, id="another tenant"),
        pytest.param("system", "", 4, id="every tenant"),
    ],
)
@pytest.mark.usefixtures("carriers")
def test_count(play: Play, user: str, query: str, number: int) -> None:
    assert play(Scenario("count", COUNT + query, user=user)) == {"count": number}


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("limit=1", "request.unknown_parameter"),
        ("sort=name", "request.unknown_parameter"),
        ("filter=nmae:x", "field.unknown"),
        ("filter=name:", "filter.syntax"),
        ("filter=active:perhaps", "filter.type"),
        ("filter=a:1&filter=b:2", "request.invalid_parameter"),
    ],
)
def test_count_refuses(play: Play, query: str, code: str) -> None:
    play(Scenario("count", f"{COUNT}?{query}", status=400, code=code))


def test_count_does_not_tell_of_hidden_fields(play: Play) -> None:
    request = "GET /logistics/shipments/count?filter=customsToken:~"
    play(Scenario("count", request, status=400, code="field.unknown", lacks=("count",)))


@pytest.mark.parametrize("what", ["count", "schema"])
def test_who_may_not(play: Play, what: str) -> None:
    request = f"GET /logistics/carriers/{what}"
    play(Scenario("nobody", request, user=None, status=401, code="access.unauthenticated"))
    play(Scenario("wrong role", request, user="acme-nobody", status=403, code="access.denied"))
    play(Scenario("parameter", f"{request}?x=1", status=400, code="request.unknown_parameter"))


def schema_of(play: Play, kind: str) -> Any:
    answers = {"content-type": "application/schema+json"}
    schema = play(Scenario("schema", f"GET {PATHS[kind]}/schema", answers=answers))
    Draft202012Validator.check_schema(schema)
    return schema


@pytest.mark.parametrize("kind", KINDS)
def test_every_record_read_validates(world: World, play: Play, kind: str) -> None:
    schema = schema_of(play, kind)
    validator = Draft202012Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    for made in (world.make(kind), world.make(kind, **FULL.get(kind, {}))):
        validator.validate(made)
        (row,) = world.ask(f"GET {PATHS[kind]}/list?filter=id:{made['id']}").json()["rows"]
        validator.validate(row)


@pytest.mark.parametrize("kind", KINDS)
def test_the_schema_says_what_it_is(play: Play, kind: str) -> None:
    schema = schema_of(play, kind)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["title"] == kind
    assert schema["$id"].startswith(f"{PATHS[kind]}/")
    assert schema["additionalProperties"] is False
    assert set(schema["required"]) >= {"id", "refName", "displayName", "version", "dataDomain", "auditInfo"}


def test_the_schema_is_no_rubber_stamp(world: World, play: Play) -> None:
    validator = Draft202012Validator(schema_of(play, "Shipment"))
    made = world.make("Shipment")
    for wrong in ({"status": "FLYING"}, {"customer": None}, {"version": "1"}, {"extra": 1}, {"notes": None}):
        assert not validator.is_valid(made | wrong), wrong


def test_no_hidden_field_in_a_schema(play: Play) -> None:
    play(Scenario("schema", "GET /logistics/shipments/schema", silent_on=("customsToken", "customs", "null")))
