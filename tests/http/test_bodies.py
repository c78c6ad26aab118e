"""Bodies are built from what the document says: each kind of required field, as a service may add it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from generated.record_types import CATALOG
from generator.load import load
from generator.openapi import document
from generator.resolve import resolve
from runtime.model.record_type import Index, RecordType
from runtime.model.state_graph import State, StateGraph
from tests.http.bodies import BodyBuilder, find_free_text
from tests.http.world import NOWHERE, PATHS, SYSTEM, Document, find_own_roles

SPECS = {
    "service.yaml": 'title: Fleet\nversion: "1.0.0"\nareas: {fleet: Trucks.}\n',
    "fleet/depot.yaml": "record: Depot\nfields: {}\n",
    "fleet/life.yaml": "stateGraph: life\nstates:\n  NEW: {initial: true, next: [OLD]}\n  OLD: {initial: true, final: true}\n",
    "fleet/place.yaml": "structure: Place\nfields:\n  street: {type: string, required: true}\n",
}

FIELDS = {
    "text": "{type: string, required: true}",
    "a long text": "{type: text, required: true, minLength: 50}",
    "a short text": "{type: string, required: true, maxLength: 1}",
    "text with an example": "{type: string, required: true, maxLength: 9, example: North}",
    "a pattern": '{type: string, required: true, pattern: "^[A-Z]{3}[0-9]{2}(-[a-f]+)?$", minLength: 9}',
    "a pattern that matches anywhere": '{type: string, required: true, pattern: "[0-9]{4}"}',
    **{
        f"the format {name}": f"{{type: string, required: true, format: {name}}}"
        for name in ("duration", "email", "hostname", "ipv4", "ipv6", "time", "uri", "uuid")
    },
    "an integer": "{type: integer, required: true}",
    "an integer in bounds": "{type: integer, required: true, exclusiveMinimum: 2, maximum: 2000, multipleOf: 3}",
    "an integer below zero": "{type: integer, required: true, maximum: -5}",
    "a number": "{type: number, required: true, exclusiveMinimum: 0, exclusiveMaximum: 0.5}",
    "a decimal": '{type: decimal, required: true, minimum: "0.3", multipleOf: "0.25"}',
    "a boolean": "{type: boolean, required: true}",
    "a date": "{type: date, required: true}",
    "a timestamp": "{type: datetime, required: true}",
    "an id": "{type: objectId, required: true}",
    "anything": "{type: json, required: true}",
    "a choice": "{enum: [BOX, TANK], required: true}",
    "a list": "{list: {type: string, maxLength: 5}, required: true, minItems: 3, uniqueItems: true}",
    "a list of references": "{list: {reference: Depot}, required: true, minItems: 1}",
    "a list of objects": "{list: {depot: {reference: Depot, required: true}, more: string}, required: true, minItems: 2}",
    "a map": "{map: decimal, required: true}",
    "an object": "{object: {axles: {type: integer, required: true, minimum: 2}}, required: true}",
    "a structure": "{structure: Place, required: true}",
    "a reference": "{reference: Depot, required: true}",
    "a state": "{states: life}",
}


@dataclass
class Fleet:
    """The document of one record type, Truck, with one field."""

    published: Document
    kind: RecordType[Any]
    referred: list[tuple[str, bool]] = field(default_factory=list)

    def refer(self, target: str, is_own: bool) -> Document:
        self.referred.append((target, is_own))
        return {"entityId": f"{len(self.referred) if is_own else 0:024x}"}

    def build(self, number: int) -> list[Document]:
        builder = BodyBuilder(self.published, self.refer)
        return [builder.build(self.kind) for _each in range(number)]

    def list_problems(self, body: Document) -> list[str]:
        registry = Registry().with_resource("urn:d", Resource(self.published, DRAFT202012))
        schema = {"$ref": "urn:d#/components/schemas/TruckInput"}
        checker = Draft202012Validator.FORMAT_CHECKER
        validator = Draft202012Validator(schema, registry=registry, format_checker=checker)
        return [error.message for error in validator.iter_errors(body)]


@pytest.fixture
def fleet_of(tmp_path: Path) -> Callable[..., Fleet]:
    def write(field_text: str, **words: Any) -> Fleet:
        truck = f"record: Truck\nfields:\n  load: {field_text}\n"
        for name, text in {**SPECS, "fleet/truck.yaml": truck}.items():
            path = tmp_path / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, "utf-8")
        template = CATALOG["Carrier"]
        kind = RecordType(
            name="Truck", area="fleet", domain="truck", model=template.model, input=template.input,
            collection="trucks", base_path="/fleet/trucks", **words,
        )  # fmt: skip
        return Fleet(document(resolve(load(tmp_path))), kind)

    return write


@pytest.mark.parametrize("field_text", FIELDS.values(), ids=FIELDS)
def test_a_body_has_what_is_required(fleet_of: Callable[..., Fleet], field_text: str) -> None:
    is_state = "states" in field_text
    graph = StateGraph("life", {"NEW": State(("OLD",), initial=True), "OLD": State(initial=True, final=True)})
    fleet = fleet_of(field_text, states={"load": graph} if is_state else {})
    (body,) = fleet.build(1)
    assert body.keys() == {"load"}
    assert fleet.list_problems(body) == []
    assert fleet.build(1) == [body]
    assert fleet.referred == [("Depot", False)] * len(fleet.referred)


@pytest.mark.parametrize(
    "field_text",
    [
        *('{type: string, required: true, unique: true, pattern: "^[A-Z]{3}[0-9]{2}$", example: LIS01}',),
        "{type: string, required: true, unique: true, maxLength: 4}",
        "{type: string, required: true, unique: true, format: email}",
        "{type: integer, required: true, unique: true, minimum: 7}",
        '{type: decimal, required: true, unique: true, maximum: 5, multipleOf: "0.1"}',
        "{type: number, required: true, unique: true, minimum: 0, exclusiveMaximum: 0.5}",
        "{type: date, required: true, unique: true}",
    ],
)
def test_no_two_bodies_share_what_is_unique(fleet_of: Callable[..., Fleet], field_text: str) -> None:
    fleet = fleet_of(field_text, indexes=(Index((("load", 1),), unique=True),))
    bodies = fleet.build(300)
    assert len({body["load"] for body in bodies}) == 300
    assert [problem for body in bodies for problem in fleet.list_problems(body)] == []


def test_a_unique_reference_is_to_a_record_of_its_own(fleet_of: Callable[..., Fleet]) -> None:
    index = Index((("load.entityId", 1),), unique=True)
    fleet = fleet_of("{reference: Depot, required: true}", indexes=(index,))
    first, second = fleet.build(2)
    assert first != second
    assert fleet.referred == [("Depot", True)] * 2


@pytest.mark.parametrize(
    ("field_text", "found"),
    [
        ("{type: string, maxLength: 200}", "load"),
        ("{type: string, maxLength: 3}", None),
        ('{type: string, pattern: "^[a-z]+$"}', None),
        ("{enum: [BOX, TANK]}", None),
        ("{type: integer}", None),
    ],
)
def test_a_field_for_free_text(fleet_of: Callable[..., Fleet], field_text: str, found: str | None) -> None:
    fleet = fleet_of(field_text)
    assert find_free_text(fleet.published, fleet.kind, "SECRET-OF-ACME") == found


def test_all_record_types_of_the_specifications_are_walked_over() -> None:
    assert PATHS.keys() >= {"Airport", "Carrier", "Order", "Shipment"}
    assert PATHS.keys().isdisjoint(SYSTEM)
    assert NOWHERE not in PATHS.values()


@pytest.mark.parametrize(
    ("roles", "expected"),
    [({"user", "admin"}, set()), ({"admin", "clerk"}, set()), ({"clerk", "agent"}, {"agent"}), ({"system"}, set())],
)  # fmt: skip
def test_callers_have_a_role_of_a_type_that_is_not_for_users_or_administrators(
    roles: set[str], expected: set[str]
) -> None:
    kind = replace(CATALOG["Carrier"], name="Depot", roles=frozenset(roles))
    assert find_own_roles([kind]) == expected
    assert not find_own_roles([replace(kind, operations=frozenset())])
