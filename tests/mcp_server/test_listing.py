"""The list of tools: small, the same however many record types there are, and true."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from generated.record_types import CATALOG
from generated.tools import TOOLS
from runtime.mcp.listing import render_tools, shrink_schema
from runtime.model.tool import Tool
from sample_generated.record_types import CATALOG as SAMPLE_CATALOG
from sample_generated.tools import TOOLS as SAMPLE_TOOLS
from tests.mcp_server.tokens import count_tokens

OF_THE_SERVICE = [tool for tool in TOOLS if tool.name.startswith("query_")]
MOST_TOKENS = 2500


def render(tools: list[Tool] | tuple[Tool, ...]) -> list[dict[str, Any]]:
    return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in render_tools(tools)]


def measure(tools: list[Tool] | tuple[Tool, ...]) -> int:
    """Names, descriptions and schemas."""
    shown = [{name: one[name] for name in one if name != "annotations"} for one in render(tools)]
    return sum(count_tokens(json.dumps(one, separators=(",", ":"))) for one in shown)


def test_all_tools_are_read_in_2500_tokens() -> None:
    assert measure(TOOLS) <= MOST_TOKENS
    assert measure(OF_THE_SERVICE) <= MOST_TOKENS - 200


def test_the_list_does_not_grow_with_record_types() -> None:
    """Two services with other record types have the same tools, besides those of their own specifications."""
    assert {kind.name for kind in CATALOG} != {kind.name for kind in SAMPLE_CATALOG}
    names = {tool.name for tool in OF_THE_SERVICE}
    others = [tool for tool in SAMPLE_TOOLS if tool.name in names]
    assert render(others) == render(OF_THE_SERVICE)
    record_types = {kind.name for kind in CATALOG} - {"Airport", "Order"}
    assert not [name for name in record_types if name in json.dumps(render(OF_THE_SERVICE))]


@pytest.mark.parametrize("shown", render(TOOLS), ids=lambda shown: shown["name"])
def test_schemas_are_schemas(shown: dict[str, Any]) -> None:
    for schema in (shown["inputSchema"], shown.get("outputSchema", {"type": "object"})):
        Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
        assert "$ref" not in json.dumps(schema)
    assert shown["description"]


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_what_a_schema_asks_for_is_what_the_tool_asks_for(tool: Tool) -> None:
    shown = shrink_schema(tool.arguments, set())
    assert shown.get("required") == tool.arguments.get("required")
    left_out = tool.arguments.get("properties", {}).keys() - shown["properties"].keys()
    assert left_out <= {"includeHeader", "page", "restoreArchived"}
    assert not left_out & set(tool.arguments.get("required", ()))


def test_the_language_is_told_where_it_is_named_first() -> None:
    texts = [json.dumps(one["inputSchema"], ensure_ascii=False) for one in render(TOOLS)]
    (told,) = [text for text in texts if "reference{name:A*}" in text]
    assert told == next(text for text in texts if "in the filter language" in text)


SHRUNK = [
    ({"type": ["string", "null"], "maxLength": 5, "default": None}, {"type": "string"}),
    ({"anyOf": [{"type": "null"}, {"$ref": "#/$defs/Word"}]}, {"enum": ["A", "B"]}),
    ({"type": "array", "items": {"$ref": "#/$defs/Word"}}, {"type": "array", "items": {"enum": ["A", "B"]}}),
    (
        {"type": "object", "additionalProperties": {"type": "string", "minLength": 1}},
        {"type": "object", "additionalProperties": {"type": "string"}},
    ),
    ({"type": "object", "additionalProperties": False}, {"type": "object"}),
    ({"type": ["string", "null"], "enum": ["A", None]}, {"enum": ["A"]}),
    (
        {"anyOf": [{"type": "number"}, {"type": "string", "pattern": "^[0-9]+$"}, {"type": "null"}]},
        {"type": ["number", "string"]},
    ),
    ({"description": "anything"}, {"description": "anything"}),
]


@pytest.mark.parametrize(("schema", "shrunk"), SHRUNK)
def test_schemas_are_shrunk(schema: dict[str, Any], shrunk: dict[str, Any]) -> None:
    whole = {"type": "object", "properties": {"a": schema}, "$defs": {"Word": {"enum": ["A", "B"]}}}
    assert shrink_schema(whole, set()) == {"type": "object", "properties": {"a": shrunk}}


def test_a_description_is_given_once() -> None:
    whole = {"type": "object", "properties": {"a": {"type": "string", "description": "what it is"}}}
    said: set[tuple[str, str]] = set()
    assert "description" in shrink_schema(whole, said)["properties"]["a"]
    assert "description" not in shrink_schema(whole, said)["properties"]["a"]


COUNTED = [("", 0), ("query", 1), ("rootType", 2), ('{"type":"object"}', 5), ("123456", 2), ("expand(…)", 4)]


@pytest.mark.parametrize(("text", "number"), COUNTED)
def test_tokens_are_counted_from_above(text: str, number: int) -> None:
    assert count_tokens(text) >= number


def test_only_tools_of_other_servers_reach_outside() -> None:
    shown = {one["name"]: one["annotations"]["openWorldHint"] for one in render([*TOOLS, *SAMPLE_TOOLS])}
    assert [name for name, reaches in shown.items() if reaches] == ["send_invoice"]
