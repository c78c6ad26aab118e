"""Resources: record types and their schemas, how to query, and what is allowed, as far as the caller may."""

from collections.abc import Mapping
from typing import Any, Final

import orjson
from mcp.shared.exceptions import MCPError
from mcp_types import (
    ListResourcesResult,
    ListResourceTemplatesResult,
    PaginatedRequestParams,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextResourceContents,
)
from mcp_types.jsonrpc import INVALID_PARAMS
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from runtime.call import Call
from runtime.errors import NotFound
from runtime.gateway.execute import enter_tool
from runtime.gateway.hints import describe_permissions, describe_queries
from runtime.gateway.root_types import describe_root_type, list_visible_types
from runtime.gateway.schema import render_schema
from runtime.mcp.compact import NOTICE, compact_answer
from runtime.mcp.context import Context, find_exchange, refuse_cursor
from runtime.mcp.failures import describe_failure
from runtime.mcp.listing import resolve_schema
from runtime.model.nearest import hint

SCHEMA: Final = "service://schema"
TYPE_TEMPLATE: Final = f"{SCHEMA}/{{rootType}}"
FIELD_TEMPLATE: Final = f"{SCHEMA}/{{rootType}}/{{field}}"

_QUERIES: Final = "service://query-hints"
_PERMISSIONS: Final = "service://permission-hints"
_JSON: Final = "application/json"
_NO_RESOURCE: Final = -32002
"""The code of the handshake eras for a resource that does not exist."""

_MOST_EXAMPLES: Final = 60
_GATE: Final = "query_rootTypes"
"""The tool that one must be allowed to use: resources say no more than it and the schemas of its types."""

_RESOURCES: Final = (
    (SCHEMA, "Record types", "All record types that you may query, with their names."),
    (_QUERIES, "Query language", "The query language, example queries and tips."),
    (_PERMISSIONS, "Permissions", "How permissions are decided, and what you may do."),
)
_TEMPLATES: Final = (
    (
        TYPE_TEMPLATE,
        "Schema of a record type",
        "The JSON Schema of a record type: fields, references, states.",
    ),
    (FIELD_TEMPLATE, "Schema of a field", "The JSON Schema of one field of a record type."),
)


async def list_resources(_context: Context, params: PaginatedRequestParams | None) -> ListResourcesResult:
    """List the resources."""
    refuse_cursor(params)
    return ListResourcesResult(
        resources=[
            Resource(uri=uri, name=uri.rpartition("/")[2], title=title, description=text, mime_type=_JSON)
            for uri, title, text in _RESOURCES
        ]
    )


async def list_templates(
    _context: Context, params: PaginatedRequestParams | None
) -> ListResourceTemplatesResult:
    """List the templates of resources."""
    refuse_cursor(params)
    return ListResourceTemplatesResult(
        resource_templates=[
            ResourceTemplate(uri_template=uri, name=title, description=text, mime_type=_JSON)
            for uri, title, text in _TEMPLATES
        ]
    )


async def read_resource(context: Context, params: ReadResourceRequestParams) -> ReadResourceResult:
    """Read a resource. Raises ``MCPError`` for one that does not exist, and ``Denied``."""
    call = find_exchange(context).call
    try:
        async with call.turn:
            found = await _read(await enter_tool(call, _GATE, None), params.uri)
    except NotFound as error:
        code = INVALID_PARAMS if context.protocol_version in MODERN_PROTOCOL_VERSIONS else _NO_RESOURCE
        raise MCPError(code, error.message, await describe_failure(error, call)) from None
    text = orjson.dumps(found, default=str).decode()
    return ReadResourceResult(contents=[TextResourceContents(uri=params.uri, text=text, mime_type=_JSON)])


async def _read(call: Call, uri: str) -> Any:
    if uri == SCHEMA:
        return {"rootTypes": [describe_root_type(kind) for kind in list_visible_types(call)]}
    if uri == _QUERIES:
        return _limit_examples(describe_queries(call))
    if uri == _PERMISSIONS:
        return _limit_examples(describe_permissions(call))
    name, _, field = uri.removeprefix(f"{SCHEMA}/").partition("/")
    if not uri.startswith(f"{SCHEMA}/") or not name:
        known = (SCHEMA, _QUERIES, _PERMISSIONS)
        raise NotFound(f"no resource {uri[:200]}{hint(uri[:200], known)}")
    schema = orjson.loads((await render_schema(call, name)).body)
    if field:
        return find_field_schema(schema, field)
    if "examples" in schema:
        schema["examples"] = compact_answer(schema["examples"], keeps_audit=False, is_record=True)["result"]
        schema["x-notice"] = NOTICE
    return schema


def find_field_schema(schema: Mapping[str, Any], field: str) -> dict[str, Any]:
    """Find the schema of a dotted field, with the definitions that it refers to. Raises ``NotFound``."""
    definitions = schema.get("$defs", {})
    here: Mapping[str, Any] = schema
    for step in field.split("."):
        here = _enter(here, definitions)
        known = here.get("properties", {})
        if step not in known:
            raise NotFound(f"no field {field[:200]}{hint(step[:200], known)}")
        here = known[step]
    return {**here, "$defs": definitions} if "$ref" in str(here) else dict(here)


def _enter(schema: Mapping[str, Any], definitions: Mapping[str, Any]) -> Mapping[str, Any]:
    """Follow references, lists and alternatives with null to the schema of an object."""
    while "items" in (schema := resolve_schema(schema, definitions)):
        schema = schema["items"]
    return schema


def _limit_examples(hints: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out examples of more record types than anybody reads."""
    examples = hints["examples"]
    if len(examples) <= _MOST_EXAMPLES:
        return dict(hints)
    more = f"{len(examples) - _MOST_EXAMPLES} more examples are left out"
    return {**hints, "examples": examples[:_MOST_EXAMPLES], "more": more}
