"""Each tool through every door: ``/api/query``, ``/api/agent/execute`` and ``/mcp`` give the same answer, error and audit.

A request is played at one door, what it stored is taken back, and played at the other. Ids and moments are new each
time, so they are compared by what they are.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import httpx2
import pytest
from bson import ObjectId

from generated.tools import TOOLS
from runtime.mcp.compact import compact_answer
from tests.http.mcp_door import use_confirmed
from tests.http.world import NOWHERE, Document, World

OF_THE_SERVICE = {tool.name for tool in TOOLS if tool.name.startswith("query_")}
NO_ROUTE = {tool.name for tool in TOOLS} - OF_THE_SERVICE
"""Tools of the example have no route of their own."""

PATHS = {
    "query_rootTypes": "GET /api/query/rootTypes",
    **{
        f"query_import_{word}": f"POST /api/query/import/{word}"
        for word in ("analyze", "rows", "commit", "cancel")
    },
}
WITHOUT_TYPE = ("query_rootTypes", "query_relationships", "query_predicates")
CARRIER = {"name": "Atlantic Air Cargo", "mode": "AIR"}


@dataclass(frozen=True)
class Case:
    """``arguments`` may name ``{id}`` and ``{session}``, which are made anew for each door."""

    tool: str
    arguments: Document
    caller: str | None = "acme"
    status: int = 200

    def __str__(self) -> str:
        return f"{self.tool} {self.status} {self.caller} {self.arguments}"


def of(tool: str, /, **arguments: Any) -> Case:
    told = {name: arguments.pop(name) for name in ("caller", "status") if name in arguments}
    return Case(tool, arguments if tool in WITHOUT_TYPE else {"rootType": "Carrier", **arguments}, **told)


CASES = [
    of("query_rootTypes"),
    of("query_rootTypes", caller="acme-user"),
    of("query_plan", query="name:A* && mode:AIR"),
    of("query_plan", query="nmae:A", status=400),
    of("query_find", query="id:{id}", sort=[{"field": "name", "dir": "DESC"}], count="exact"),
    of("query_find", query="id:{id}", caller="globex"),
    of("query_find", query="id:{id}", page={"limit": 1, "skip": 1}),
    of("query_find", rootType="Shipment", query="expand(customer)", limit=1),
    of("query_find", query="((", status=400),
    of("query_find", limit=5000, status=422),
    of("query_find", unknown=1, status=400),
    of("query_count", query="id:{id}"),
    of("query_count", caller="acme-nobody", status=403),
    of("query_aggregate", groupBy=["mode"], measures={"number": "count"}),
    of("query_aggregate", groupBy=["nmae"], status=400),
    of("query_aggregate", groupBy=["mode"], timeZone="Nowhere/Town", status=400),
    of("query_save", entity=CARRIER),
    of("query_save", entity={**CARRIER, "id": "{id}"}),
    of("query_save", entity={**CARRIER, "mode": "SPACE"}, status=422),
    of("query_save", entity={**CARRIER, "id": "{id}", "version": 9}, status=409),
    of("query_save", rootType="Order", entity={"status": "DELIVERED"}, status=422),
    of("query_save", rootType="Credential", entity={}, status=404),
    of("query_delete", id="{id}"),
    of("query_delete", id="{id}", dryRun=True),
    of("query_delete", id="{id}", caller="globex", status=404),
    of("query_delete", id=NOWHERE, status=404),
    of("query_deleteMany", query="id:{id}"),
    of("query_deleteMany", query="", status=422),
    of("query_export", query="id:{id}", columns=["name", "mode"]),
    of("query_export", columns=["nmae"], status=400),
    of("query_import_analyze", csv="refName,name,mode\nD-1,Atlantic,AIR\nD-2,Baltic,SPACE\n"),
    of("query_import_analyze", csv="nmae\nA\n", status=400),
    of("query_import_rows", sessionId="{session}", onlyErrors=True),
    of("query_import_rows", sessionId="{session}", caller="acme-user", status=404),
    of("query_import_commit", sessionId="{session}"),
    of("query_import_commit", sessionId=NOWHERE, status=404),
    of("query_import_cancel", sessionId="{session}"),
    of("query_find", caller=None, status=401),
    of("query_relationships", entityId="{port}"),
    of("query_relationships", entityId="{port}", direction="out", predicate="liesIn", limit=1),
    of("query_relationships", entityId="{port}", caller="globex", status=404),
    of("query_relationships", entityId="{port}", caller="acme-nobody", status=403),
    of("query_relationships", entityId="{port}", predicate="liesInn", status=400),
    of("query_relationships", entityId="not an id", status=400),
    of("query_predicates"),
    of("query_predicates", domainFilter="logistics.Port", rangeFilter="Region"),
    of("query_predicates", domainFilter="Prot", status=404),
    of("query_predicates", caller="acme-nobody", status=403),
]


def test_each_tool_has_cases_and_a_route() -> None:
    assert {case.tool for case in CASES} == OF_THE_SERVICE
    assert {"late_shipments", "count_open_orders", "report_shipment_lost"} == NO_ROUTE


def by_route(world: World, case: Case, arguments: Document) -> httpx2.Response:
    request = PATHS.get(case.tool, f"POST /api/query/{case.tool.removeprefix('query_')}")
    body = {} if request.startswith("GET") else {"json": arguments}
    return world.ask(request, case.caller, **body)


def by_agent(world: World, case: Case, arguments: Document) -> httpx2.Response:
    body = {"tool": case.tool, "arguments": arguments}
    return world.ask("POST /api/agent/execute", case.caller, json=body)


def by_mcp(world: World, case: Case, arguments: Document) -> httpx2.Response:
    return use_confirmed(world, case.tool, arguments, case.caller)


def plain(value: Any) -> Any:
    """Without what is new each time."""
    if isinstance(value, dict):
        dropped = ("requestId", "instance", "decisionId", "csv", "advice")
        return {name: plain(one) for name, one in value.items() if name not in dropped}
    if isinstance(value, list):
        return [plain(one) for one in value]
    text = re.sub(r"\b[0-9a-f]{24}\b", "ID", value) if isinstance(value, str) else value
    return re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+Z", "MOMENT", text) if isinstance(text, str) else text


def played(world: World, case: Case, door: Callable[[World, Case, Document], httpx2.Response]) -> Any:
    """The answer at a door, and who wrote what: the audit of the documents that differ afterwards."""
    made = world.make("Carrier", refName=f"DOOR-{ObjectId()}")
    session = "importSessions"
    if "{session}" in str(case.arguments):
        body = {"rootType": "Carrier", "csv": "refName,name,mode\nD-1,Atlantic,AIR\nD-2,Baltic,SPACE\n"}
        session = world.ask("POST /api/query/import/analyze", "acme", json=body).json()["sessionId"]
    values = {"{id}": made["id"], "{session}": session, "{port}": world.ref("Port")["entityId"]}

    def fill(value: Any) -> Any:
        if isinstance(value, dict):
            return {name: fill(one) for name, one in value.items()}
        if isinstance(value, str):
            for word, told in values.items():
                value = value.replace(word, told)
        return value

    before = world.snapshot()
    answer = door(world, case, fill(case.arguments))
    after = world.snapshot()
    changed = sorted(key for key in before.keys() | after.keys() if before.get(key) != after.get(key))
    rows = [world.documents[name].find_one({"_id": ObjectId(one)}) for name, one in changed]
    audit = [
        plain({k: str(v) for k, v in row["auditInfo"].items() if "Date" not in k}) for row in rows if row
    ]
    world.documents["carriers"].delete_many({})
    is_file = "csv" in answer.headers.get("content-type", "")
    said = {"csv": answer.text} if is_file else answer.json()
    headers = {name: answer.headers.get(name) for name in ("dry-run", "www-authenticate", "cache-control")}
    csv = said.get("csv")
    if is_file:
        headers = {}
    return answer.status_code, plain(said), csv, [name for name, _id in changed], audit, headers


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_doors_are_one(world: World, case: Case) -> None:
    first, second = (played(world, case, door) for door in (by_route, by_agent))
    assert first[0] == case.status, first
    if case.tool == "query_export" and case.status == 200:
        first, second = first[:-1], second[:-1]
    assert first == second


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_mcp_door_is_one_of_them(world: World, case: Case) -> None:
    """Its answers are those of the routes, without what agents do not read."""
    route, tool = (played(world, case, door) for door in (by_route, by_mcp))
    status, said, csv, changed, audit, _headers = route
    short = {name: one for name, one in compact_answer(said, keeps_audit=False).items() if name != "notice"}
    assert tool[:-1] == (status, short, csv, changed, audit)


def test_an_unknown_tool_is_not_found(world: World) -> None:
    answer = world.ask("POST /api/agent/execute", json={"tool": "query_fnd", "arguments": {}})
    assert answer.status_code == 404
    assert "query_find" in answer.json()["detail"]


def test_a_key_holds_at_the_door_of_agents(world: World) -> None:
    body = {"tool": "query_save", "arguments": {"rootType": "Carrier", "entity": CARRIER}}
    headers = {"Idempotency-Key": "doors"}
    first, second = (world.ask("POST /api/agent/execute", json=body, headers=headers) for _each in range(2))
    assert first.json() == second.json()
    assert second.headers["Idempotency-Replayed"] == "true"
