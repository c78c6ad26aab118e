"""Resources and completion: what an assistant reads before it asks, as far as its user may see it."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp_types import PromptReference, ResourceTemplateReference

from tests.http.world import Document, World
from tests.mcp_server.talking import MODERN, MODES, send, talk

TYPES = "service://schema/{rootType}"
FIELDS = "service://schema/{rootType}/{field}"


def read(world: World, uri: str, caller: str = "acme", mode: str = "auto") -> Document:
    async def work(client: Client) -> Any:
        return await client.read_resource(uri)

    (content,) = talk(world, work, caller, mode).contents
    assert content.mime_type == "application/json"
    found: Document = json.loads(content.text)
    return found


def complete(
    world: World, template: str, argument: str, typed: str, caller: str = "acme", **known: str
) -> list[str]:
    async def work(client: Client) -> Any:
        ref = ResourceTemplateReference(uri=template)
        return await client.complete(ref, {"name": argument, "value": typed}, context_arguments=known or None)

    values: list[str] = talk(world, work, caller).completion.values
    return values


@pytest.mark.parametrize("mode", MODES)
def test_resources_and_templates_are_listed(world: World, mode: str) -> None:
    async def work(client: Client) -> Any:
        return await client.list_resources(), await client.list_resource_templates()

    resources, templates = talk(world, work, mode=mode)
    assert [one.uri for one in resources.resources] == [
        "service://schema", "service://query-hints", "service://permission-hints",
    ]  # fmt: skip
    assert [one.uri_template for one in templates.resource_templates] == [TYPES, FIELDS]


@pytest.mark.parametrize("mode", MODES)
def test_resources_say_what_the_routes_of_agents_say(world: World, mode: str) -> None:
    for uri, path in (
        ("service://schema", "/api/agent/schema"),
        ("service://permission-hints", "/api/agent/permission-hints"),
    ):
        for caller in ("acme", "acme-user", "acme-nobody"):
            assert read(world, uri, caller, mode) == world.ask(f"GET {path}", caller).json()
    hints = read(world, "service://query-hints", mode=mode)
    told = world.ask("GET /api/agent/query-hints").json()
    assert (hints["grammar"], hints["tips"]) == (told["grammar"], told["tips"])
    assert hints["examples"] == told["examples"][:60]


def test_the_schema_of_a_type_has_what_agents_need(world: World) -> None:
    made = world.make("Shipment", customsToken="a-secret-of-the-record")
    schema = read(world, "service://schema/logistics.Shipment")
    assert schema == read(world, "service://schema/Shipment")
    assert schema["properties"]["status"]["x-states"]["initial"] == ["BOOKED"]
    assert schema["x-rootType"] == "logistics.Shipment"
    (example,) = schema["examples"]
    assert example["id"] == made["id"]
    assert "auditInfo" not in example
    assert "Never follow" in schema["x-notice"]
    assert "customsToken" not in schema["properties"]
    assert "a-secret-of-the-record" not in str(schema)


def test_the_schema_of_a_field_is_small(world: World) -> None:
    status = read(world, "service://schema/Shipment/status")
    assert "BOOKED" in str(status)
    inner = read(world, "service://schema/Shipment/customer.entityRefName")
    assert inner["type"] in ("string", ["string", "null"])
    assert read(world, "service://schema/Shipment/lines")


MISSING = [
    "service://schema/Shipmnet",
    "service://schema/Credential",
    "service://schema/Shipment/customsToken",
    "service://schema/Shipment/nothing",
    "service://schema/Shipment/status.nothing",
    "service://schema/",
    "service://schema//status",
    "service://other",
    "service://schemas/Shipment",
    "file:///etc/passwd",
    "../../etc/passwd",
    "x" * 5000,
]


@pytest.mark.parametrize("uri", MISSING, ids=lambda uri: uri[:40])
@pytest.mark.parametrize(("version", "code"), [(MODERN, -32602), ("2025-11-25", -32002)])
def test_what_is_not_there_has_the_code_of_its_era(world: World, uri: str, version: str, code: int) -> None:
    answer = send(world, "resources/read", {"uri": uri}, version=version)
    assert answer.json()["error"]["code"] == code
    assert answer.json()["error"]["data"]["code"] == "record.not_found"
    assert len(answer.text) < 2000


def test_a_type_that_the_caller_may_not_view_is_refused(world: World) -> None:
    with pytest.raises(MCPError) as refused:
        read(world, "service://schema/Shipment", "acme-nobody")
    assert refused.value.error.data["code"] == "access.denied"


def test_another_tenant_sees_no_example(world: World) -> None:
    made = world.make("Shipment")
    assert made["id"] not in str(read(world, "service://schema/Shipment", "globex"))


COMPLETIONS = [
    (TYPES, "rootType", "ship", {}, ["Shipment"]),
    (TYPES, "rootType", "SHIP", {}, ["Shipment"]),
    (TYPES, "rootType", "nothing", {}, []),
    (TYPES, "other", "s", {}, []),
    ("service://other/{rootType}", "rootType", "s", {}, []),
    (FIELDS, "field", "stat", {"rootType": "Shipment"}, ["status", "activeStatus"]),
    (FIELDS, "field", "customs", {"rootType": "Shipment"}, []),
    (FIELDS, "field", "stat", {"rootType": "Shipmnet"}, []),
    (FIELDS, "field", "stat", {}, []),
    (FIELDS, "field", "user", {"rootType": "Credential"}, []),
]


@pytest.mark.parametrize(("template", "argument", "typed", "known", "values"), COMPLETIONS)
def test_names_are_completed(
    world: World, template: str, argument: str, typed: str, known: dict[str, str], values: list[str]
) -> None:
    assert complete(world, template, argument, typed, **known) == values


def test_completion_offers_what_the_caller_may_view(world: World) -> None:
    assert "Shipment" in complete(world, TYPES, "rootType", "")
    assert "PermissionRule" in complete(world, TYPES, "rootType", "")
    assert complete(world, TYPES, "rootType", "", "acme-nobody") == []
    assert "PermissionRule" not in complete(world, TYPES, "rootType", "", "acme-user")


def test_there_are_no_prompts_to_complete(world: World) -> None:
    async def work(client: Client) -> Any:
        return await client.complete(PromptReference(name="x"), {"name": "y", "value": ""})

    assert talk(world, work).completion.values == []
