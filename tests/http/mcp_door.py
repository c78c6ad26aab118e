"""The MCP door of the authorization matrix: the operations of the gateway, as tools.

What a tool answers is read as the answer of the route of the same operation: a result that is an error has the
status of its problem.
"""

from __future__ import annotations

from typing import Any

import httpx2

from tests.http.agent_door import Agents, name_tool
from tests.http.rest_door import Asked, caller_of, options_of
from tests.http.world import Document, World
from tests.mcp_server.talking import call_on_wire


class Mcp(Agents):
    """Every operation that is a tool as well."""

    def send(self, asked: Asked, document: Document) -> httpx2.Response:
        """Use the tool of a cell; where many records are deleted, with the number that a dry run has found."""
        options = options_of(asked, document)
        tool, arguments = name_tool(asked.operation.name), options.get("json", {})
        return use_confirmed(asked.scene.world, tool, arguments, caller_of(asked), options["headers"])


def use_confirmed(
    world: World, tool: str, arguments: Document, caller: str | None, headers: dict[str, str] | None = None
) -> httpx2.Response:
    """Use a tool as one who confirms what a dry run, or the analysis, has found."""
    headers = headers or {}
    if tool == "query_deleteMany" and not arguments.get("dryRun"):
        tried = use(world, tool, arguments | {"dryRun": True}, caller, headers)
        if tried.status_code != 200:
            return tried
        arguments = arguments | {"confirm": tried.json()["matched"]}
    if tool == "query_import_commit":
        session = {name: arguments[name] for name in ("rootType", "sessionId")}
        rows = use(world, "query_import_rows", session, caller, headers)
        failed = use(world, "query_import_rows", session | {"onlyErrors": True}, caller, headers)
        counts = [one.json().get("totalCount", 0) for one in (rows, failed)]
        arguments = arguments | {"confirm": counts[0] - counts[1]}
    return use(world, tool, arguments, caller, headers)


def use(
    world: World, tool: str, arguments: Document, caller: str | None, headers: dict[str, str]
) -> httpx2.Response:
    answer = call_on_wire(world, tool, arguments, caller, headers=headers)
    if answer.status_code not in (200, 403) or "result" not in answer.json():
        return answer
    result = answer.json()["result"]
    said: dict[str, Any] = result["structuredContent"]
    said.pop("notice", None)
    if result.get("isError"):
        return httpx2.Response(said["status"], json=said)
    if said.keys() == {"csv"}:
        return httpx2.Response(200, text=said["csv"], headers={"Content-Type": "text/csv"})
    return httpx2.Response(200, json=said)
