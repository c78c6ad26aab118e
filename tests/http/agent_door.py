"""The door of agents to the operations of the gateway: tools, named in the body of one route."""

from __future__ import annotations

import re

import httpx2

from tests.http.documented import OPERATIONS
from tests.http.rest_door import Asked, Rest, caller_of, options_of
from tests.http.world import Document

TOOLS = [one for one in OPERATIONS if one.name.startswith("query_")]


class Agents(Rest):
    """Every operation of the gateway, as a tool; requests and answers are those of its route."""

    operations = TOOLS

    def send(self, asked: Asked, document: Document) -> httpx2.Response:
        """Use the tool of a cell."""
        options = options_of(asked, document)
        body = {"tool": name_tool(asked.operation.name), "arguments": options.get("json", {})}
        ask = asked.scene.world.ask
        return ask("POST /api/agent/execute", caller_of(asked), json=body, headers=options["headers"])


def name_tool(operation: str) -> str:
    """``query_importAnalyze`` → ``query_import_analyze``; the others have the name of their operation."""
    return re.sub("import([A-Z])", lambda found: f"import_{found[1].lower()}", operation)
