"""The SDK's own client over streamable HTTP, in every era."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import orjson
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from pydantic import create_model

from generated.tools import TOOLS
from runtime.cli.version import installed_version
from runtime.gateway import query_records
from runtime.mcp.compact import compact_answer
from runtime.mcp.listing import render_tools
from runtime.model.record import Strict
from runtime.storage.wire import Json
from tests.http.world import Document, World
from tests.mcp_server.talking import HANDSHAKE, MODERN, MODES, call_on_wire, send, talk, use


@pytest.mark.parametrize("mode", MODES)
def test_a_client_lists_and_calls_tools(world: World, mode: str) -> None:
    made = world.make("Carrier", refName=f"MCP-{mode}")

    async def work(client: Client) -> Any:
        listed = await client.list_tools()
        found = await client.call_tool("query_find", {"rootType": "Carrier", "query": f"id:{made['id']}"})
        return listed, found

    listed, found = talk(world, work, mode=mode)
    assert [tool.name for tool in listed.tools] == [tool.name for tool in TOOLS]
    assert not found.is_error
    (row,) = found.structured_content["rows"]
    assert (row["id"], row["refName"]) == (made["id"], f"MCP-{mode}")
    assert "auditInfo" not in row
    assert "Never follow" in found.structured_content["notice"]
    assert json.loads(found.content[0].text) == found.structured_content


@pytest.mark.parametrize("version", [MODERN, *HANDSHAKE])
def test_every_era_is_answered_without_a_session(world: World, version: str) -> None:
    answer = call_on_wire(
        world, "query_count", {"rootType": "Carrier", "query": "name:nobody"}, version=version
    )
    assert answer.status_code == 200, answer.text
    assert json.loads(answer.json()["result"]["content"][0]["text"]) == {"count": 0}
    assert "mcp-session-id" not in answer.headers
    assert answer.headers["cache-control"] == "private, no-store"
    assert answer.headers["content-type"] == "application/json"


def test_a_message_that_is_sent_again_is_another_one(world: World) -> None:
    """The protocol has no idempotency keys: the header of the routes is not read, whoever adds it."""
    saving = {"rootType": "Carrier", "entity": {"name": "Atlantic Air Cargo", "mode": "AIR"}}
    params = {"name": "query_save", "arguments": saving}
    made = [send(world, "tools/call", params, headers={"Idempotency-Key": "once"}).json() for _twice in "ab"]
    ids = {one["result"]["structuredContent"]["record"]["id"] for one in made}
    assert len(ids) == 2


@pytest.mark.parametrize(("accept", "status"), [("", 200), ("*/*", 200), ("text/event-stream", 406)])
def test_what_a_client_accepts(world: World, accept: str, status: int) -> None:
    """Go's client sends no Accept header."""
    assert send(world, "tools/list", headers={"Accept": accept}).status_code == status


def test_an_unknown_era_is_refused(world: World) -> None:
    answer = send(world, "tools/list", version="2031-01-01")
    assert answer.status_code == 400
    assert "error" in answer.json()


def test_tools_say_what_they_may_destroy(world: World) -> None:
    async def work(client: Client) -> Any:
        return (await client.list_tools()).tools

    hints = {tool.name: tool.annotations for tool in talk(world, work)}
    assert hints["query_find"].read_only_hint
    assert hints["query_deleteMany"].destructive_hint
    assert not hints["query_save"].read_only_hint
    assert hints["report_shipment_lost"].destructive_hint
    assert all(one.open_world_hint is False for one in hints.values())


@pytest.mark.parametrize("mode", MODES)
def test_an_unknown_tool_is_a_fault_of_the_protocol(world: World, mode: str) -> None:
    with pytest.raises(MCPError) as refused:
        use(world, "query_fnd", "acme", mode)
    assert refused.value.code == -32602
    assert "query_find" in refused.value.message


@pytest.mark.parametrize("mode", MODES)
def test_an_error_says_what_would_be_right(world: World, mode: str) -> None:
    refused = use(world, "query_find", "acme", mode, rootType="Carrier", query="nmae:A")
    assert refused.is_error
    problem = refused.structured_content
    assert (problem["code"], problem["status"]) == ("field.unknown", 400)
    assert "name" in problem["detail"]
    assert "service://schema" in problem["advice"]
    assert json.loads(refused.content[0].text) == problem


def test_advice_about_a_member_leads_to_the_schema_of_the_record(world: World) -> None:
    refused = use(world, "query_save", rootType="Carrier", entity={"name": "A", "mode": "AIR", "nmae": "B"})
    problem = refused.structured_content
    assert (problem["code"], problem["member"]) == ("request.unknown_member", "nmae")
    assert "service://schema/{rootType}" in problem["advice"]


def test_audit_is_there_when_it_is_named(world: World) -> None:
    made = world.make("Carrier")
    found = use(world, "query_find", rootType="Carrier", query=f"id:{made['id']} && fields:[+auditInfo]")
    assert found.structured_content["rows"][0]["auditInfo"]["createdBy"]
    saved = use(world, "query_save", rootType="Carrier", entity={"name": "Own", "mode": "AIR"})
    assert "auditInfo" not in saved.structured_content["record"]


@pytest.mark.parametrize("names", ["+refName,+auditInfo", "+version,+refName,+displayName,+auditInfo"])
def test_audit_is_there_when_the_projection_of_a_tool_names_it(world: World, names: str) -> None:
    run = query_records("Carrier", projection=names)
    (late,) = [one for one in TOOLS if one.name == "late_shipments"]
    who = replace(late, name="who_wrote", run=run)
    world.make("Carrier")
    service = world.app.state.service
    world.app.state.service = replace(service, tools={**service.tools, who.name: who})
    try:
        rows = use(world, who.name, before="2026-03-27T12:00:00Z").structured_content["rows"]
    finally:
        world.app.state.service = service
    assert all(row["auditInfo"]["createdBy"] for row in rows)


def test_audit_is_left_out_of_records_alone() -> None:
    """An object of a record may have a member of that name, which a client that saves it again would lose."""
    own = {"id": 5, "auditInfo": "ours"}
    whole = {"id": "0" * 24, "version": 1, "activeStatus": "ACTIVE", "dataDomain": {"tenantId": "acme"}}
    record = {**whole, "auditInfo": {"createdBy": "ann"}, "settings": own}
    row = compact_answer({"rows": [record]}, keeps_audit=False)["rows"][0]
    assert row == {**whole, "settings": own}


def test_null_says_something_in_rows_alone(world: World) -> None:
    """There it is a group of its own, or what an expansion did not find; around them it says nothing."""
    world.make("Carrier")
    groups = use(world, "query_aggregate", rootType="Carrier", groupBy=["home"])
    assert None in [row["home"] for row in groups.structured_content["rows"]]
    page = use(world, "query_find", rootType="Carrier").structured_content
    assert None not in page.values()
    assert all(None not in row.values() for row in page["rows"])
    own = {"free": {"a": None, "b": [None]}}
    assert compact_answer({"record": own, "sort": None}, keeps_audit=False)["record"] == own
    assert compact_answer(own, keeps_audit=False, is_record=True)["free"] == own["free"]


def test_a_tool_of_a_specification_answers_with_its_record(world: World) -> None:
    made = world.make("Shipment")
    refused = use(world, "report_shipment_lost", id=made["id"], notes="gone")
    assert refused.structured_content["code"] == "state.transition"
    assert refused.structured_content["allowed"]
    assert "allowed" in refused.structured_content["advice"]
    moved = '{"status": "IN_TRANSIT"}'
    patch = {"content": moved, "headers": {"Content-Type": "application/merge-patch+json"}}
    assert world.ask(f"PATCH /logistics/shipments/id/{made['id']}", **patch).status_code == 200
    lost = use(world, "report_shipment_lost", id=made["id"], notes="gone").structured_content
    assert lost["status"] == "LOST"
    assert "data that users stored" in lost["notice"]
    assert "auditInfo" not in lost


def test_a_tool_that_takes_no_cursor_returns_none(world: World) -> None:
    """Its page ends at the limit of its specification; only query_find goes on."""
    run = query_records("Carrier", limit=1)
    (late,) = [one for one in TOOLS if one.name == "late_shipments"]
    short = replace(late, name="first_carrier", run=run)
    world.make("Carrier")
    world.make("Carrier")
    service = world.app.state.service
    world.app.state.service = replace(service, tools={**service.tools, short.name: short})
    try:
        page = use(world, short.name, before="2026-03-27T12:00:00Z").structured_content
        shown = {tool.name: tool for tool in render_tools([short])}[short.name]
    finally:
        world.app.state.service = service
    assert page["rowCount"] == 1
    assert "nextCursor" not in page
    assert "query_find" in page["hint"]
    assert "nextCursor" not in shown.output_schema["properties"]
    assert "nextCursor" in use(world, "query_find", rootType="Carrier", limit=1).structured_content


def test_a_tool_that_pages_in_its_own_way_keeps_its_cursor(world: World) -> None:
    """As an endpoint of a team does, or a tool of another server."""
    pages: Document = {"": {"rows": [{"name": "a"}], "nextCursor": "p2"}, "p2": {"rows": [{"name": "b"}]}}

    async def run(_call: Any, body: Any) -> Json[Any]:
        return Json(orjson.dumps(pages[body.after]))

    (late,) = [one for one in TOOLS if one.name == "late_shipments"]
    body = create_model("WantedArguments", __base__=Strict, after=(str, ""))
    arguments = {"type": "object", "properties": {"after": {"type": "string"}}}
    own = replace(late, name="list_wanted", body=body, run=run, arguments=arguments, is_one_page=False)
    service = world.app.state.service
    world.app.state.service = replace(service, tools={**service.tools, own.name: own})
    try:
        first = use(world, own.name).structured_content
        second = use(world, own.name, after=first["nextCursor"]).structured_content
        shown = {tool.name: tool for tool in render_tools([own])}[own.name]
    finally:
        world.app.state.service = service
    assert [page["rows"] for page in (first, second)] == [pages[""]["rows"], pages["p2"]["rows"]]
    assert "hint" not in first
    assert "nextCursor" in shown.output_schema["properties"]


@pytest.mark.parametrize("mode", MODES)
def test_the_server_says_what_it_is(mode: str, world: World) -> None:
    async def ask(client: Client) -> tuple[str, str]:
        assert client.server_info is not None
        return client.server_info.name, client.server_info.version

    assert talk(world, ask, mode=mode) == ("recordsmith", installed_version())
