"""What agents are told: tools, schemas and hints, made from what the caller may do. Every example runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from generated.record_types import CATALOG
from generated.tools import TOOLS
from runtime.filter.syntax import Operator
from runtime.model.catalog import Catalog
from tests.http.test_permission_rules import rule, ruled
from tests.http.world import Document, World
from tests.narrowing import narrow_token

READERS = ("acme", "acme-user", "globex", "system")


def test_all_tools_are_listed_with_their_schemas(world: World) -> None:
    listed = world.ask("GET /api/agent/tools", "acme-user").json()["tools"]
    assert [one["name"] for one in listed] == [tool.name for tool in TOOLS]
    assert [one["inputSchema"] for one in listed] == [tool.arguments for tool in TOOLS]
    told = {one["name"]: one["annotations"] for one in listed}
    assert told["query_find"] == {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True}
    assert told["query_deleteMany"]["destructiveHint"]
    assert told["late_shipments"]["readOnlyHint"]
    assert world.ask("GET /api/agent/tools?realm=elsewhere").status_code == 403
    assert world.ask(f"GET /api/agent/tools?realm={world.realm}").json()["tools"] == listed


def test_the_schema_is_the_list_of_root_types(world: World) -> None:
    for caller in READERS:
        listed = world.ask("GET /api/query/rootTypes", caller).json()
        assert world.ask("GET /api/agent/schema", caller).json() == listed


def root_types(world: World, caller: str) -> list[str]:
    rows = world.ask("GET /api/agent/schema", caller).json()["rootTypes"]
    return [row["className"] for row in rows]


@pytest.mark.parametrize("caller", READERS)
def test_a_schema_describes_what_the_caller_reads(world: World, caller: str) -> None:
    world.make("Shipment", "acme")
    for name in root_types(world, caller):
        schema = world.ask(f"GET /api/agent/schema/{name}", caller).json()
        Draft202012Validator.check_schema(schema)
        assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
        for example in schema["examples"]:
            Draft202012Validator({**schema, "required": ["id"]}).validate(example)


def test_references_states_and_hidden_fields(world: World) -> None:
    schema = world.ask("GET /api/agent/schema/Shipment").json()
    fields = schema["properties"]
    assert fields["customer"]["x-references"] == "logistics.Customer"
    assert fields["status"]["x-states"] == {
        "initial": ["BOOKED"],
        "next": {
            "BOOKED": ["IN_TRANSIT", "CANCELLED"], "IN_TRANSIT": ["DELIVERED", "LOST"], "DELIVERED": [], "LOST": [],
            "CANCELLED": [],
        },
    }  # fmt: skip
    assert "customsToken" not in str(schema)
    order = world.ask("GET /api/agent/schema/logistics.Order").json()
    assert order["$defs"]["OrderItem"]["properties"]["product"]["x-references"] == "logistics.Product"
    assert order["properties"]["shipments"]["items"]["x-references"] == "logistics.Shipment"


def test_a_withheld_field_is_nowhere(world: World) -> None:
    world.make("Carrier", name="SECRET-NAME")
    header = {"identity": "user", "area": "logistics", "functionalDomain": "carrier", "action": "VIEW"}
    with ruled(world, rule(header, effect="ALLOW", hiddenFields=["name"])):
        schema = world.ask("GET /api/agent/schema/Carrier", "acme-user")
        assert "name" not in schema.json()["properties"]
        assert "SECRET-NAME" not in schema.text
        assert "SECRET-NAME" in world.ask("GET /api/agent/schema/Carrier").text
        found = world.ask(
            "POST /api/query/find", "acme-user", json={"rootType": "Carrier", "query": "name:S*"}
        )
        assert found.status_code == 400
        assert all(
            "name:" not in one["query"]
            for one in examples(world, "acme-user")
            if "Carrier" in one["rootType"]
        )


@pytest.mark.parametrize(("name", "status"), [("Shipmnt", 404), ("Credential", 404), ("security.Agent", 404)])
def test_a_schema_of_nothing(world: World, name: str, status: int) -> None:
    assert world.ask(f"GET /api/agent/schema/{name}").status_code == status


def test_types_that_may_not_be_viewed_have_no_schema(world: World) -> None:
    assert world.ask("GET /api/agent/schema/PermissionRule", "acme-user").status_code == 403
    world.tokens["narrowed"] = narrow_token(world, "acme", "integration:read")
    assert world.ask("GET /api/agent/schema/Carrier", "narrowed").status_code == 403
    assert {name.partition(".")[0] for name in root_types(world, "narrowed")} == {"integration"}


def examples(world: World, caller: str) -> Iterator[Document]:
    yield from world.ask("GET /api/agent/query-hints", caller).json()["examples"]


def check_examples(world: World, caller: str) -> None:
    asked = list(examples(world, caller))
    readable = {kind.qualified_name for kind in CATALOG if kind.operations & {"list", "find"}}
    assert {one["rootType"] for one in asked} == readable & set(root_types(world, caller))
    for one in asked:
        body = {"rootType": one["rootType"], "query": one["query"]}
        for word in ("find", "plan"):
            answer = world.ask(f"POST /api/query/{word}", caller, json=body)
            assert answer.status_code == 200, (one, answer.text)
    assert any("expand(" in one["query"] for one in asked)
    assert any(":>=" in one["query"] for one in asked)


@pytest.mark.parametrize("caller", READERS)
def test_every_example_of_a_query_runs(world: World, caller: str) -> None:
    check_examples(world, caller)


def test_no_example_reads_what_is_only_written(world: World) -> None:
    service = world.app.state.service
    written = frozenset({"save", "delete"})
    kinds = (replace(one, operations=written) if one.name == "Carrier" else one for one in service.catalog)
    catalog = Catalog(tuple(kinds), relationships=service.catalog.relationships)
    world.app.state.service = replace(service, catalog=catalog)
    try:
        assert "logistics.Carrier" in root_types(world, "acme")
        shown = {one["rootType"] for one in examples(world, "acme")}
        assert "logistics.Airport" in shown
        assert "logistics.Carrier" not in shown
    finally:
        world.app.state.service = service


def test_no_example_compares_the_name_of_a_record_that_is_withheld(world: World) -> None:
    header = {"identity": "user", "area": "logistics", "functionalDomain": "customer", "action": "*"}
    with ruled(world, rule(header)):
        check_examples(world, "acme-user")


def test_the_hints_have_every_operator(world: World) -> None:
    grammar = world.ask("GET /api/agent/query-hints").json()["grammar"]
    hints = " ".join(f"{row['write']} {row['means']}" for row in grammar)
    signs = (*Operator, ":^[", ":!^", ":~", "now-7d", "expand(", "fields:[", "hasEdge(")
    missing = {sign for sign in signs if sign not in hints}
    assert missing == set()


def test_who_may_view_nothing_is_told_nothing(world: World) -> None:
    assert list(examples(world, "acme-nobody")) == []
    told: Any = world.ask("GET /api/agent/permission-hints", "acme-nobody").json()
    assert (told["subjects"], told["examples"]) == ([], [])


@pytest.mark.parametrize("caller", READERS)
def test_every_example_of_a_permission_runs_and_is_right(world: World, caller: str) -> None:
    told = world.ask("GET /api/agent/permission-hints", caller).json()
    actions = {one["functionalDomain"]: one["actions"] for one in told["subjects"]}
    for one in told["examples"]:
        answer = world.ask("POST /security/permission/check", caller, json=one["request"])
        assert answer.status_code == 200, answer.text
        allowed = answer.json()["decision"] == "ALLOW"
        assert allowed is ("DELETE" in actions[one["request"]["functionalDomain"]]), one


@pytest.mark.parametrize(
    "path", ["tools", "schema", "schema/Carrier", "query-hints", "permission-hints", "config/list?realm=x"]
)
def test_nothing_is_told_without_a_token(world: World, path: str) -> None:
    assert world.ask(f"GET /api/agent/{path}", None).status_code == 401


def test_hints_are_about_what_is_switched_on(world: World) -> None:
    assert "query_relationships" in str(world.ask("GET /api/agent/query-hints").json()["tips"])
    service = world.app.state.service
    settings = service.settings.model_copy(update={"gateway_executes": False})
    world.app.state.service = replace(service, settings=settings, edges=None)
    try:
        hints = world.ask("GET /api/agent/query-hints").json()
        examples = hints["examples"]
        assert examples
        assert "expand(" not in str(hints)
        assert not any(word in str(hints) for word in ("Edge(", "query_relationships", "query_predicates"))
        for example in examples:
            arguments = {"rootType": example["rootType"], "query": example["query"]}
            body = {"tool": "query_find", "arguments": arguments}
            assert world.ask("POST /api/agent/execute", json=body).status_code == 200, example
    finally:
        world.app.state.service = service
