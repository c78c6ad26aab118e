"""Tools of a specification that are those of MCP servers elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest
from pymongo import MongoClient

from generated.rules import SUBJECTS
from runtime.gateway import call_remote
from runtime.mcp_client import read_options
from runtime.mcp_client.clients import McpClients
from runtime.model.record import Strict
from runtime.model.tool import DEPTH, Hints, Tool
from tests.http.test_permission_rules import rule, ruled
from tests.http.world import Document, World, open_world
from tests.mcp_server.talking import send

PROGRAM = Path(__file__).parents[1] / "mcp_client" / "servers.py"
SERVER = {"transport-type": "stdio", "command": f"{sys.executable},{PROGRAM}"}


class Sum(Strict):
    """Arguments as a specification may declare them: those of the server elsewhere may differ."""

    a: int
    b: int | None = None


def tool(name: str, target: str) -> Tool:
    run = call_remote(target, area="logistics")
    return Tool(
        name, "logistics", "A tool elsewhere.", Sum, run, {"type": "object"}, None, Hints(destructive=True)
    )


TOOLS = [
    tool("add_up", "small/add"),
    tool("refuse", "small/refuse"),
    tool("gone", "small/gone"),
    tool("away", "away/x"),
    tool("meta", "small/meta"),
]


@pytest.fixture(scope="module")
def world(mongo_uri: str, mongo_client: MongoClient[Document], key_folder: Path) -> Iterator[World]:
    """A service with a server elsewhere; rules know its tools, as the generator lists them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(SUBJECTS, ("logistics", "small", "CALL"), ((),))
        with open_world(mongo_uri, mongo_client, data_folder=key_folder, rule_cache_seconds=0) as opened:
            remotes = McpClients(read_options({"small": SERVER}))
            tools = {one.name: one for one in TOOLS}
            opened.app.state.service = replace(opened.app.state.service, tools=tools, remotes=remotes)
            yield opened
            assert opened.client.portal is not None
            opened.client.portal.call(remotes.close)


def use(world: World, name: str, caller: str | None = "acme", /, **arguments: object) -> httpx2.Response:
    return world.ask("POST /api/agent/execute", caller, json={"tool": name, "arguments": arguments})


def test_a_tool_elsewhere_answers_as_one_of_ours(world: World) -> None:
    assert use(world, "add_up", a=1, b=2).json() == {"sum": 3}


@pytest.mark.parametrize(
    ("caller", "status"), [("acme-user", 403), ("acme-nobody", 403), (None, 401), ("globex", 200)]
)
def test_rules_decide_who_may_call_it(world: World, caller: str | None, status: int) -> None:
    assert use(world, "add_up", caller, a=1, b=2).status_code == status


def test_a_rule_opens_it_to_others(world: World) -> None:
    header = {"identity": "user", "area": "logistics", "functionalDomain": "small", "action": "CALL"}
    with ruled(world, rule(header, effect="ALLOW")):
        assert use(world, "add_up", "acme-user", a=1, b=2).status_code == 200


def test_arguments_fit_both_schemas(world: World) -> None:
    assert use(world, "add_up", a="x", b=2).status_code == 422
    by_its_own = use(world, "add_up", a=1, b=-1)
    assert (by_its_own.status_code, by_its_own.json()["code"]) == (422, "record.invalid")
    assert by_its_own.json()["violations"][0]["path"] == "b"
    assert use(world, "add_up", a=1, c=2).status_code == 400


def test_what_fails_elsewhere_is_no_fault_of_ours(world: World) -> None:
    refused = use(world, "refuse", a=1)
    assert (refused.status_code, refused.json()["code"]) == (502, "remote.failed")
    assert "not today" in str(refused.json()["answer"])
    for name in ("gone", "away"):
        assert use(world, name, a=1).status_code == 404


def test_a_tool_that_calls_itself_comes_to_an_end(world: World) -> None:
    def pass_on(before: object) -> Document:
        """Call the tool as a service does that others have called before."""
        params = {"name": "meta", "arguments": {"a": 1}, "_meta": {DEPTH: before}}
        answer: Document = send(world, "tools/call", params, version="2025-11-25").json()["result"]
        return answer["structuredContent"]

    assert use(world, "meta", a=1).json()[DEPTH] == 1
    assert [pass_on(before)[DEPTH] for before in (0, 3, 7, -5, "7")] == [1, 4, 8, 1, 1]
    for before in (8, 2**63 - 1):
        assert "does a tool call itself?" in pass_on(before)["detail"]
