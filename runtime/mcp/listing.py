"""The list of tools, small enough to be read whole before the first call. Pure, but for what is enabled.

A schema says what a call needs and what an answer has; what is checked anyway (lengths, ranges, unknown
members) is reported with the error. A description that an earlier tool has given is not repeated.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from mcp_types import ListToolsResult, PaginatedRequestParams, ToolAnnotations
from mcp_types import Tool as ListedTool

from runtime.call import Call
from runtime.gateway.execute import list_tools as list_enabled_tools
from runtime.mcp.context import Context, find_exchange, refuse_cursor
from runtime.model.tool import Hints, Tool
from runtime.settings import Settings

Schema = Mapping[str, Any]

_SPARED: Final = frozenset({"includeHeader", "page", "restoreArchived"})
"""Arguments that programs may send and agents need not know."""

_PLAIN: Final = frozenset({"dir", "field", "fieldSeparator", "limit", "skip", "timeZone"})
"""Arguments whose names say enough."""

_ECHOED: Final = frozenset({"offset", "limit", "filter", "sort", "query", "rowCount", "status"})
"""Members of answers that repeat the call, or can be counted."""

_LANGUAGE: Final = "in the filter language"
_GRAMMAR: Final = ": a:1 && b:>=5 || !!(c:A*), d:^[X,Y], e:~, reference{name:A*}"
"""What is said of the language where it is named first."""

_SAID: Final = ("type", "enum", "items", "properties", "required", "additionalProperties")


async def list_tools(context: Context, params: PaginatedRequestParams | None) -> ListToolsResult:
    """List the tools that the caller may use."""
    refuse_cursor(params)
    call = find_exchange(context).call
    return ListToolsResult(tools=render_tools(await find_offered(call)))


async def find_offered(call: Call) -> list[Tool]:
    """Find the tools that the caller may use at this door."""
    tools = await list_enabled_tools(call)
    return [tool for tool in tools if is_offered(tool, call.service.settings)]


def is_offered(tool: Tool, settings: Settings) -> bool:
    """Return whether this door offers a tool: where the operator has made it read-only, those that read."""
    return tool.hints.read_only or not settings.mcp_read_only


def render_tools(tools: Iterable[Tool]) -> list[ListedTool]:
    """Render tools for a list."""
    said: set[tuple[str, str]] = set()
    return [_render(tool, said) for tool in tools]


def _render(tool: Tool, said: set[tuple[str, str]]) -> ListedTool:
    return ListedTool(
        name=tool.name,
        description=tool.description,
        input_schema=shrink_schema(tool.arguments, said),
        output_schema=None if tool.answer is None else _outline(tool),
        annotations=_annotate(tool.hints),
    )


def _annotate(hints: Hints) -> ToolAnnotations:
    """Say what differs from the defaults of the protocol."""
    if hints.read_only:
        return ToolAnnotations(read_only_hint=True, open_world_hint=hints.open_world)
    return ToolAnnotations(
        destructive_hint=hints.destructive,
        idempotent_hint=hints.idempotent or None,
        open_world_hint=hints.open_world,
    )


def shrink_schema(schema: Schema, said: set[tuple[str, str]]) -> dict[str, Any]:
    """Shrink the schema of arguments; ``said``: names and descriptions that a reader has seen, added to."""
    definitions = schema.get("$defs", {})
    shrunk = _shrink(schema, definitions, said)
    shrunk.pop("description", None)
    return {"type": "object", "properties": {}} | shrunk


def _shrink(schema: Schema, definitions: Schema, said: set[tuple[str, str]]) -> dict[str, Any]:
    found = resolve_schema(schema, definitions)
    shrunk = {name: found[name] for name in _SAID if name in found}
    if isinstance(kinds := shrunk.get("type"), list):
        (shrunk["type"],) = (kind for kind in kinds if kind != "null")
    if options := found.get("anyOf"):
        shrunk["type"] = list(dict.fromkeys(one["type"] for one in options if one.get("type") != "null"))
    if "enum" in shrunk:
        shrunk = {"enum": [value for value in shrunk["enum"] if value is not None]}
    if "items" in shrunk:
        shrunk["items"] = _shrink(shrunk["items"], definitions, said)
    if shrunk.get("additionalProperties") is False:
        del shrunk["additionalProperties"]
    elif isinstance(shrunk.get("additionalProperties"), Mapping):
        shrunk["additionalProperties"] = _shrink(shrunk["additionalProperties"], definitions, said)
    if "properties" in shrunk:
        shrunk["properties"] = {
            name: _shrink_named(name, inner, definitions, said)
            for name, inner in shrunk["properties"].items()
            if name not in _SPARED
        }
    return shrunk


def _shrink_named(
    name: str, schema: Schema, definitions: Schema, said: set[tuple[str, str]]
) -> dict[str, Any]:
    shrunk = _shrink(schema, definitions, said)
    description = schema.get("description") or resolve_schema(schema, definitions).get("description", "")
    if description and name not in _PLAIN and (name, description) not in said:
        if not any(_LANGUAGE in one for _name, one in said):
            shrunk["description"] = description.replace(_LANGUAGE, _LANGUAGE + _GRAMMAR)
        else:
            shrunk["description"] = description
        said.add((name, description))
    return shrunk


def resolve_schema(schema: Schema, definitions: Schema) -> Schema:
    """Follow a reference, and leave null out of the alternatives."""
    while True:
        options = [one for one in schema.get("anyOf", ()) if one.get("type") != "null"]
        if len(options) == 1:
            schema = options[0]
        elif "$ref" in schema:
            schema = definitions[schema["$ref"].rpartition("/")[2]]
        else:
            return schema


def _outline(tool: Tool) -> dict[str, Any]:
    """Outline an answer: its members and their types, but for those that repeat an argument."""
    schema: Schema = tool.answer or {}
    echoed = _ECHOED | tool.arguments.get("properties", {}).keys()
    echoed |= {"nextCursor"} if tool.is_one_page else frozenset()
    definitions = schema.get("$defs", {})
    types = {
        name: _type_of(resolve_schema(one, definitions))
        for name, one in schema.get("properties", {}).items()
        if name not in echoed
    }
    members = {name: {"type": kind} for name, kind in types.items() if kind}
    return {"type": "object", "properties": members} if members else {"type": "object"}


def _type_of(schema: Schema) -> str:
    kinds = schema.get("type", "string" if "enum" in schema else "")
    return next((kind for kind in kinds if kind != "null"), "") if isinstance(kinds, list) else str(kinds)
