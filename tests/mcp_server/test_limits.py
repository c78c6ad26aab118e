"""What an operator allows at this door: tools, records, bytes; and what is written into the log."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bson import ObjectId
from mcp import Client
from pymongo import MongoClient

from generated.tools import TOOLS
from runtime.http import unread_answers
from runtime.logs import configure as configure_logs
from runtime.settings import Settings
from tests.http.world import Document, World, open_world
from tests.mcp_server.talking import MODERN, call_on_wire, send, talk, use

CARRIER = {"name": "Atlantic Air Cargo", "mode": "AIR"}
MOST = 20_000
AGENT: Document = {"refName": "reader", "name": "Reader", "enabledTools": ["query_find", "query_count"]}


@pytest.fixture(scope="module")
def narrow(mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path) -> Iterator[World]:
    """A service that lets assistants read, a little at a time."""
    with open_world(
        mongo_uri, mongo_client, data_folder=key_folder, mcp_read_only=True, mcp_max_answer_bytes=MOST
    ) as opened:
        yield opened


def list_names(world: World, caller: str = "acme", **headers: str) -> list[str]:
    async def work(client: Client) -> Any:
        return (await client.list_tools()).tools

    return [tool.name for tool in talk(world, work, caller, **headers)]


def test_a_read_only_door_offers_what_reads(narrow: World) -> None:
    assert list_names(narrow) == [tool.name for tool in TOOLS if tool.hints.read_only]


@pytest.mark.parametrize("tool", [tool.name for tool in TOOLS if not tool.hints.read_only])
def test_a_read_only_door_runs_nothing_that_writes(narrow: World, tool: str) -> None:
    before = narrow.snapshot()
    for arguments in ({}, {"rootType": "Carrier", "entity": CARRIER, "id": "0" * 24, "query": "id:~"}):
        refused = use(narrow, tool, **arguments)
        assert refused.structured_content["code"] == "access.denied"
        assert "mcp.server.read-only" in refused.structured_content["detail"]
    assert narrow.snapshot() == before
    assert (
        narrow.ask("POST /api/query/save", json={"rootType": "Carrier", "entity": CARRIER}).status_code == 200
    )


def test_who_has_answers_to_read_is_refused_before_anything_is_done(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = world.snapshot()
    monkeypatch.setattr(unread_answers, "MOST_OF_ONE", 0)
    refused = use(world, "query_save", rootType="Carrier", entity=CARRIER)
    assert refused.structured_content["code"] == "service.overloaded"
    assert world.snapshot() == before


def test_a_large_answer_is_cut_and_goes_on_by_cursor(narrow: World) -> None:
    made = {narrow.make("Product", details="x" * 1900)["id"] for _number in range(60)}
    seen: list[str] = []
    arguments: Document = {"rootType": "Product", "limit": 50}
    for _page in range(20):
        answer = use(narrow, "query_find", **arguments).structured_content
        assert len(json.dumps(answer, separators=(",", ":"))) <= MOST
        seen += [row["id"] for row in answer["rows"]]
        if "nextCursor" not in answer:
            break
        assert "send nextCursor as cursor" in answer["hint"]
        arguments["cursor"] = answer["nextCursor"]
    assert set(seen) == made
    assert len(seen) == len(made)


def test_a_page_that_is_cut_keeps_its_place(narrow: World) -> None:
    page = {"limit": 40, "skip": 10}
    answer = use(narrow, "query_find", rootType="Product", page=page).structured_content
    assert answer["offset"] == 10
    assert 0 < answer["limit"] < 40
    assert answer["rowCount"] == len(answer["rows"]) == answer["limit"]


def test_one_record_that_is_too_large_is_an_error_with_advice(narrow: World) -> None:
    made = narrow.make("Product")
    narrow.documents["products"].update_one(
        {"_id": ObjectId(made["id"])}, {"$set": {"details": "y" * 30_000}}
    )
    refused = use(narrow, "query_find", rootType="Product", query=f"id:{made['id']}").structured_content
    assert refused["code"] == "query.answer_too_large"
    assert "fields:[" in refused["advice"]
    fitting = use(narrow, "query_find", rootType="Product", query=f"id:{made['id']} && fields:[+name]")
    assert not fitting.is_error


def test_a_write_with_a_large_answer_was_done_and_says_so(
    mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path
) -> None:
    with open_world(mongo_uri, mongo_client, data_folder=key_folder, mcp_max_answer_bytes=4096) as opened:
        product = opened.sample("Product") | {"details": "w" * 4900, "name": "Written once"}
        saved = use(opened, "query_save", rootType="Product", entity=product)
        assert not saved.is_error
        assert saved.structured_content["inserted"] is True
        assert "record" not in saved.structured_content
        assert "This was done" in saved.structured_content["hint"]
        assert opened.documents["products"].count_documents({"name": "Written once"}) == 1
        lines = "\n".join(f"L-{number},{'n' * 60},AIR" for number in range(200))
        text = f"refName,name,mode\n{lines}\n"
        analysis = use(opened, "query_import_analyze", rootType="Carrier", csv=text)
        assert not analysis.is_error
        assert analysis.structured_content["validRows"] == 200
        hint = analysis.structured_content["hint"]
        assert "This was done" in hint
        assert "query_import_rows" in hint
        assert opened.documents["importSessions"].count_documents({}) == 1


def test_an_export_is_whole_or_refused(narrow: World) -> None:
    whole = use(narrow, "query_export", rootType="Product", columns=["details"])
    assert len(whole.structured_content["csv"]) > MOST
    assert whole.structured_content["csv"].count("\r\n") == 62


def test_an_export_above_a_mebibyte_says_where_to_go(world: World) -> None:
    for number in range(12):
        world.make("Product", refName=f"WIDE-{number}")
    world.documents["products"].update_many({}, {"$set": {"details": "z" * 100_000}})
    refused = use(world, "query_export", rootType="Product", query="refName:WIDE*", columns=["details"])
    assert refused.structured_content["code"] == "query.answer_too_large"
    assert "/api/query/export" in refused.structured_content["detail"]
    assert "columns" in refused.structured_content["advice"]


def test_an_agent_has_its_tools(world: World) -> None:
    made = world.ask(f"POST /api/agent/config?realm={world.realm}", json=AGENT)
    assert made.status_code in (200, 201)
    assert list_names(world, X_Agent="reader") == AGENT["enabledTools"]
    refused = send(world, "tools/list", headers={"X-Agent": "unknown"})
    assert refused.json()["error"]["data"]["code"] == "access.denied"

    async def work(client: Client) -> Any:
        return await client.call_tool("query_save", {"rootType": "Carrier", "entity": CARRIER})

    before = world.snapshot()
    assert talk(world, work, X_Agent="reader").structured_content["code"] == "access.denied"
    assert world.snapshot() == before


def test_a_realm_has_its_tools_and_its_limit(
    mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path
) -> None:
    words = {"enabledTools": "query_find,query_count", "maxFindLimit": "2"}
    with open_world(mongo_uri, mongo_client, data_folder=key_folder) as opened:
        service = opened.app.state.service
        settings = service.settings.model_copy(update={"agent_tenants": {opened.realm: words}})
        opened.app.state.service = replace(service, settings=settings)
        assert list_names(opened) == ["query_find", "query_count"]
        for _each in range(3):
            opened.make("Carrier")
        found = use(opened, "query_find", rootType="Carrier", limit=3).structured_content
        assert (found["limit"], len(found["rows"])) == (2, 2)
        refused = use(opened, "query_export", rootType="Carrier")
        assert refused.structured_content["code"] == "access.denied"


def test_nothing_is_embedded_unless_it_is_switched_on(
    mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path
) -> None:
    with open_world(mongo_uri, mongo_client, data_folder=key_folder, gateway_executes=False) as opened:
        assert not use(opened, "query_find", rootType="Carrier").is_error
        refused = use(opened, "query_find", rootType="Shipment", query="expand(customer)").structured_content
        assert (refused["code"], refused["status"]) == ("query.execution_disabled", 501)


@pytest.mark.parametrize(("setting", "is_logged"), [("ALL", True), ("NONE", False)])
def test_messages_are_logged_without_secrets(
    mongo_uri: str,
    mongo_client: MongoClient[Document],
    key_folder: Path,
    capfd: pytest.CaptureFixture[str],
    setting: str,
    is_logged: bool,
) -> None:
    with open_world(
        mongo_uri, mongo_client, data_folder=key_folder, mcp_traffic_logging=setting, log_level="INFO"
    ) as opened:
        capfd.readouterr()
        shipment = opened.sample("Shipment") | {"customsToken": "a-secret-of-the-record"}
        for version in (MODERN, "2025-11-25"):
            call_on_wire(opened, "query_save", {"rootType": "Shipment", "entity": shipment}, version=version)
            call_on_wire(opened, "query_fnd", {}, version=version)
        call_on_wire(
            opened, "query_import_analyze", {"rootType": "Carrier", "csv": "password\nhidden-word\n"}
        )
    configure_logs(Settings.read({}, log_level="ERROR"))
    lines = capfd.readouterr().err
    assert ("mcp.message" in lines) is is_logged
    assert ("mcp.answer" in lines) is is_logged
    assert ("mcp.error" in lines) is is_logged
    for secret in ("a-secret-of-the-record", "hidden-word", opened.tokens["acme"], "eyJ"):
        assert secret not in lines


@pytest.mark.parametrize("version", [MODERN, "2025-11-25"])
def test_messages_of_any_shape_are_logged(
    mongo_uri: str,
    mongo_client: MongoClient[Document],
    key_folder: Path,
    capfd: pytest.CaptureFixture[str],
    version: str,
) -> None:
    with open_world(
        mongo_uri, mongo_client, data_folder=key_folder, mcp_traffic_logging="ALL", log_level="INFO"
    ) as opened:
        for name in ("csv", "content", "contents"):
            for value in (5, 10**30, True, None, "hidden-word", ["hidden-word"], [[1]], {"a": "hidden-word"}):
                arguments = {"rootType": "Carrier", "entity": CARRIER | {name: value}}
                answer = call_on_wire(opened, "query_save", arguments, version=version).json()
                refused = answer["result"]["structuredContent"]
                assert (refused["code"], name in refused["detail"]) == ("request.unknown_member", True)
    configure_logs(Settings.read({}, log_level="ERROR"))
    lines = capfd.readouterr().err
    assert lines.count("mcp.message") == lines.count("mcp.answer") == 24
    assert "hidden-word" not in lines
    assert "unexpected fault" not in lines
