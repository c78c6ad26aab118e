"""The tools of specifications: typed arguments, and exactly the rights of the caller."""

from __future__ import annotations

from typing import Any

import httpx2
import orjson
import pytest
from jsonschema import Draft202012Validator
from pydantic import Field

from generated.models.carrier import CarrierInput
from generated.tools import TOOLS
from runtime.access.guard import open_call
from runtime.call import Call
from runtime.errors import Denied, ServiceError
from runtime.gateway import call_endpoint, count_matching, save_arguments
from runtime.model.later import Later
from runtime.model.record import Strict
from runtime.records.effects.idempotency import run_once
from runtime.storage.wire import Json, to_json
from tests.http.world import Document, World
from tests.narrowing import narrow_token


def run(world: World, tool: str, caller: str | None = "acme", /, **arguments: Any) -> httpx2.Response:
    return world.ask("POST /api/agent/execute", caller, json={"tool": tool, "arguments": arguments})


def in_transit(world: World, caller: str = "acme", **fields: Any) -> Document:
    made = world.make("Shipment", caller, **fields)
    moved = world.ask(
        f"PATCH /logistics/shipments/id/{made['id']}",
        caller,
        content='{"status": "IN_TRANSIT"}',
        headers={"Content-Type": "application/merge-patch+json"},
    )
    assert moved.status_code == 200, moved.text
    return made


def test_a_query_has_its_arguments_in_its_filter(world: World) -> None:
    late = in_transit(world, arrivesAt="2026-03-01T00:00:00Z")
    in_transit(world, arrivesAt="2026-03-03T00:00:00Z")
    in_transit(world, "globex", arrivesAt="2026-03-01T00:00:00Z")
    world.make("Shipment", arrivesAt="2026-03-01T00:00:00Z")
    page = run(world, "late_shipments", before="2026-03-02T00:00:00Z").json()
    assert [row["id"] for row in page["rows"]] == [late["id"]]
    assert page["rows"][0].keys() == {"id", "refName", "customer", "destination", "arrivesAt"}
    assert run(world, "late_shipments", before="2026-03-04T00:00:00Z").json()["rowCount"] == 2


def test_a_count_has_defaults(world: World) -> None:
    customer = world.make("Customer", refName="COUNTED")
    world.make("Order", customer={"entityId": customer["id"]})
    assert run(world, "count_open_orders", customer="COUNTED").json() == {"count": 1}
    assert run(world, "count_open_orders", customer="COUNTED", status=None).json() == {"count": 1}
    assert run(world, "count_open_orders", customer="COUNTED", status="SHIPPED").json() == {"count": 0}
    assert run(world, "count_open_orders", "globex", customer="COUNTED").json() == {"count": 0}
    for said in ("*", "COUNTED || id:~", '" || id:~ || "', "C*"):
        assert run(world, "count_open_orders", customer=said).json() == {"count": 0}


def test_a_transition_goes_along_the_graph(world: World) -> None:
    made = in_transit(world)
    for caller, status in (("globex", 404), ("acme-nobody", 403), (None, 401)):
        assert run(world, "report_shipment_lost", caller, id=made["id"], notes="gone").status_code == status
    lost = run(world, "report_shipment_lost", id=made["id"], notes="gone").json()
    assert (lost["status"], lost["notes"]) == ("LOST", "gone")
    again = world.make("Shipment")
    refused = run(world, "report_shipment_lost", id=again["id"], notes="gone")
    assert (refused.status_code, refused.json()["code"]) == (422, "state.transition")
    assert world.read("Shipment", again)["status"] == "BOOKED"


def test_a_save_stores_its_arguments(world: World) -> None:
    sent = CarrierInput.model_validate({"refName": "tool-made", "name": "Tool made", "mode": "AIR"})

    async def save(caller: str) -> Any:
        call = await open_call(world.app.state.service, world.tokens[caller], None, "save", "logistics")
        return orjson.loads((await save_arguments("Carrier")(call, sent)).body)

    with pytest.raises(Denied):
        world.client.portal.call(save, "acme-nobody")
    saved = world.client.portal.call(save, "acme")
    stored = world.read("Carrier", saved)
    assert {name: stored.get(name) for name in ("refName", "name", "mode")} == {
        "refName": "tool-made",
        "name": "Tool made",
        "mode": "AIR",
    }


class Visit(Strict):
    times: int | None = 2
    tone: str | None = None


async def greet(_call: Call, *, times: int = 2, tone: str | None = None) -> Json[Any]:
    """Answer as a route of an application does, with defaults of its own."""
    return Json(to_json({"times": times, "tone": tone}))


@pytest.mark.parametrize("sent", [{}, {"times": None}, {"times": None, "tone": None}])
def test_a_null_parameter_of_an_endpoint_has_its_default(world: World, sent: Document) -> None:
    async def use() -> Any:
        call = await open_call(world.app.state.service, world.tokens["acme"], None, "greet", "logistics")
        run = call_endpoint(Later(__name__, "greet"), parameters={"times": "times", "tone": "tone"})
        return orjson.loads((await run(call, Visit.model_validate(sent))).body)

    assert world.client.portal.call(use) == {"times": 2, "tone": None}


def show_refusal(error: ServiceError) -> Json[Any]:
    return Json(error.code.encode(), error.status)


async def touch(call: Call) -> Json[Any]:
    """Answer something else than the write that it does, as a route with GET may."""
    await save_arguments("Carrier")(call, Hire(refName="touched", name="Touched"))
    return Json(b'{"touched":true}')


def test_the_answer_of_an_endpoint_is_stored_for_the_key_of_its_call(world: World) -> None:
    async def use() -> Json[Any]:
        call = await open_call(world.app.state.service, world.tokens["acme"], None, "touch", "logistics")
        run = call_endpoint(Later(__name__, "touch"))
        return await run_once(call, "touch", "touch", lambda held: run(held, Strict()), show_refusal)

    answers = [world.client.portal.call(use) for _ in range(2)]
    assert [(one.status, one.body) for one in answers] == [(200, b'{"touched":true}')] * 2


class Hire(Strict):
    refName: str
    name: str
    active: bool | None = False
    mode: str | None = "AIR"


@pytest.mark.parametrize("sent", [{}, {"active": None}, {"active": None, "mode": None}])
def test_a_null_argument_of_a_save_has_its_default(world: World, sent: Document) -> None:
    """It is that of the tool: the record type has another one."""
    name = "hired-" + "-".join(sent)

    async def use() -> Any:
        call = await open_call(world.app.state.service, world.tokens["acme"], None, "hire", "logistics")
        arguments = Hire.model_validate({"refName": name, "name": "Hired", **sent})
        return orjson.loads((await save_arguments("Carrier")(call, arguments)).body)

    saved = world.client.portal.call(use)["record"]
    assert (saved["active"], saved["mode"]) == (False, "AIR")


class Choice(Strict):
    modes: list[str] | None = Field(default_factory=lambda: ["RAIL"])


@pytest.mark.parametrize("sent", [{}, {"modes": None}])
def test_a_null_list_has_its_default(world: World, sent: Document) -> None:
    for mode in ("RAIL", "SEA"):
        world.make("Carrier", name=f"Null list {len(sent)}", mode=mode)
    text = f'name:"Null list {len(sent)}" && mode:^${{modes}}'

    async def use() -> Any:
        call = await open_call(world.app.state.service, world.tokens["acme"], None, "count", "logistics")
        run = count_matching("Carrier", filter=text, words=frozenset({"modes"}))
        return orjson.loads((await run(call, Choice.model_validate(sent))).body)

    assert world.client.portal.call(use) == {"count": 1}


WRONG = [
    ("late_shipments", {}, 422),
    ("late_shipments", {"before": "yesterday"}, 422),
    ("late_shipments", {"before": "0001-01-01T00:00:00+14:00"}, 422),
    ("late_shipments", {"before": "9999-12-31T23:59:59-14:00"}, 422),
    ("late_shipments", {"before": "2026-03-02T00:00:00Z", "limit": 5}, 400),
    ("count_open_orders", {"customer": 5}, 422),
    ("count_open_orders", {"customer": "A", "status": "OPEN"}, 422),
    ("count_open_orders", {"customer": "A", "realm": "main"}, 400),
    ("report_shipment_lost", {"id": "x", "notes": "gone"}, 400),
    ("report_shipment_lost", {"id": "0" * 24, "notes": "gone", "customsToken": "x"}, 400),
]


@pytest.mark.parametrize(("tool", "arguments", "status"), WRONG)
def test_arguments_are_checked(world: World, tool: str, arguments: Document, status: int) -> None:
    assert run(world, tool, **arguments).status_code == status


@pytest.mark.parametrize(
    ("limit", "status"),
    [(2.0, 200), (1e2, 200), (2.5, 422), (0.0, 422), (1e300, 422), ("2.0", 422), (True, 422), (None, 200)],
)
def test_an_integer_may_be_written_with_a_fraction_of_zero(world: World, limit: Any, status: int) -> None:
    answer = run(world, "query_find", rootType="Carrier", limit=limit)
    assert answer.status_code == status, answer.text
    if isinstance(limit, float) and status == 200:
        assert answer.json()["limit"] == limit


def test_a_narrowed_token_runs_what_its_area_allows(world: World) -> None:
    world.tokens["narrowed"] = narrow_token(world, "acme", "logistics:read")
    assert run(world, "count_open_orders", "narrowed", customer="A").status_code == 200
    assert run(world, "report_shipment_lost", "narrowed", id="0" * 24, notes="gone").status_code == 403
    world.tokens["narrowed"] = narrow_token(world, "acme", "gateway:read")
    assert run(world, "count_open_orders", "narrowed", customer="A").status_code == 403


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_schemas_are_whole_and_closed(tool: Any) -> None:
    for schema in (tool.arguments, tool.answer):
        if schema is not None:
            Draft202012Validator.check_schema(schema)
            assert schema["type"] == "object"
            assert schema.get("additionalProperties", "properties" in schema) is False  # or a record
            assert "#/components" not in str(schema)
    required = {info.alias or name for name, info in tool.body.model_fields.items() if info.is_required()}
    assert set(tool.arguments.get("required", ())) == required
    assert tool.arguments["properties"].keys() == {
        info.alias or name for name, info in tool.body.model_fields.items()
    }


def test_answers_are_as_their_schemas_say(world: World) -> None:
    made = world.make("Carrier")
    asked: dict[str, Document] = {
        "query_rootTypes": {}, "query_plan": {"rootType": "Carrier", "explain": True},
        "query_find": {"rootType": "Carrier", "count": "exact"}, "query_count": {"rootType": "Carrier"},
        "query_aggregate": {"rootType": "Carrier", "groupBy": ["mode"]},
        "query_save": {"rootType": "Carrier", "entity": {"name": "A", "mode": "AIR"}},
        "query_delete": {"rootType": "Carrier", "id": made["id"]},
        "query_deleteMany": {"rootType": "Carrier", "query": "name:NOBODY"},
        "query_export": {"rootType": "Carrier"}, "late_shipments": {"before": "2026-03-02T00:00:00Z"},
        "query_import_analyze": {"rootType": "Carrier", "csv": "name,mode\nA,SPACE\n"},
        "count_open_orders": {"customer": "A"}, "query_predicates": {"domainFilter": "Port"},
        "query_relationships": {"entityId": world.make("Port")["id"]},
    }  # fmt: skip
    tools = {tool.name: tool for tool in TOOLS}
    for name, arguments in asked.items():
        answer = run(world, name, **arguments)
        assert answer.status_code == 200, answer.text
        schema = tools[name].answer
        assert schema is not None
        Draft202012Validator(schema).validate(answer.json())
        Draft202012Validator(tools[name].arguments).validate(arguments)
