"""The handlers of the routes below ``/api/agent``, besides those that configure agents."""

from typing import Any

from runtime.access.reopening import open_in_realm
from runtime.call import Call
from runtime.gateway.execute import enter_tool, execute, list_tools
from runtime.gateway.hints import describe_permissions, describe_queries
from runtime.gateway.schema import render_schema
from runtime.model.mappings import without_nones
from runtime.model.tool import Tool
from runtime.storage.wire import Json, to_json
from runtime.system.models.tool_use import ToolUse


async def list_enabled_tools(call: Call, *, realm: str | None = None) -> Json[Any]:
    """Answer the tools that the call may use, with the schemas of their arguments and answers."""
    call = await open_in_realm(call, realm)
    return Json(to_json({"tools": [_describe(tool) for tool in await list_tools(call)]}))


async def get_schema_of(call: Call, *, root_type: str) -> Json[Any]:
    """Answer the JSON Schema of a record type, as the caller reads it."""
    return await render_schema(await enter_tool(call, "query_rootTypes", None), root_type)


async def get_query_hints(call: Call) -> Json[Any]:
    """Answer the language of queries, with examples of the caller's own record types."""
    return Json(to_json(describe_queries(await enter_tool(call, "query_rootTypes", None))))


async def get_permission_hints(call: Call) -> Json[Any]:
    """Answer how permissions are decided, with what the caller may do."""
    return Json(to_json(describe_permissions(await enter_tool(call, "query_rootTypes", None))))


async def execute_tool(call: Call, body: ToolUse) -> Json[Any]:
    """Run a tool."""
    return await execute(call, body.tool, body.arguments or {})


def _describe(tool: Tool) -> dict[str, Any]:
    hints = {
        "readOnlyHint": tool.hints.read_only,
        "destructiveHint": tool.hints.destructive,
        "idempotentHint": tool.hints.idempotent,
    }
    described = {
        "name": tool.name,
        "area": tool.area,
        "description": tool.description,
        "inputSchema": tool.arguments,
        "outputSchema": tool.answer,
        "annotations": hints,
    }
    return without_nones(described)
