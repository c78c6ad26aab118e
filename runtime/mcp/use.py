"""``tools/call``: a tool of the gateway runs in the turn of its call, and its answer is made compact."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import orjson
from mcp.shared.exceptions import MCPError
from mcp_types import CallToolRequestParams, CallToolResult, TextContent
from mcp_types.jsonrpc import INVALID_PARAMS

from runtime.call import Call
from runtime.errors import Denied, ServiceError, ValidationFailed
from runtime.gateway.execute import execute, find_tool
from runtime.http.door import unread_answers
from runtime.logs import log_unexpected
from runtime.mcp.compact import AUDIT, compact_answer
from runtime.mcp.context import Context, find_exchange
from runtime.mcp.cutting import limit_answer
from runtime.mcp.exchange import note_missing_scope
from runtime.mcp.failures import describe_failure
from runtime.mcp.listing import is_offered
from runtime.model.nearest import hint
from runtime.model.own_paths import MCP
from runtime.model.tool import DEPTH, Tool


async def call_tool(context: Context, params: CallToolRequestParams) -> CallToolResult:
    """Run a tool. Raises ``MCPError`` for one that does not exist."""
    exchange = find_exchange(context)
    call, name = replace(exchange.call, depth=_read_depth(params.meta)), params.name
    if name not in call.service.tools:
        raise MCPError(INVALID_PARAMS, f"no tool {name[:200]}{hint(name[:200], call.service.tools)}")
    try:
        answer = await _run(call, find_tool(call, name), params.arguments or {})
    except ServiceError as error:
        note_missing_scope(exchange, error)
        return render_result(await describe_failure(error, call), is_error=True)
    except Exception as error:
        fault = log_unexpected(error, path=MCP, request_id=call.request_id)
        return render_result(await describe_failure(fault, call), is_error=True)
    return render_result(answer)


def render_result(answer: Mapping[str, Any], *, is_error: bool = False) -> CallToolResult:
    """Render an answer as structured content, and as text for clients that read no other."""
    text = orjson.dumps(answer).decode()
    return CallToolResult(
        content=[TextContent(text=text)], structured_content=dict(answer), is_error=is_error
    )


def require_confirmation(tool: Tool, arguments: Mapping[str, Any]) -> None:
    """Raise ``ValidationFailed`` for a write of many records whose number has not been looked at first.

    The tool itself compares the number with what it finds, where it stores.
    """
    known = tool.arguments.get("properties", {})
    if "confirm" not in known or arguments.get("confirm") is not None or arguments.get("dryRun") is True:
        return
    way = "call it with dryRun: true first, and send its matched" if "dryRun" in known else "send validRows"
    raise ValidationFailed.at("confirm", f"is missing: {way} as confirm")


def _may_be_record(tool: Tool) -> bool:
    """Return whether the answer as a whole may be a record: its members are not described."""
    return "properties" not in (tool.answer or {})


def _read_depth(meta: Mapping[str, Any] | None) -> int:
    """Read how many services passed a call on: as many as the last of them says."""
    said = (meta or {}).get(DEPTH)
    return max(said, 0) if isinstance(said, int) else 0


async def _run(call: Call, tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    settings = call.service.settings
    if not is_offered(tool, settings):
        raise Denied("only tools that read can be used here: mcp.server.read-only is on")
    require_confirmation(tool, arguments)
    keeps_audit = AUDIT in str(arguments.get("query", ""))

    async def run(again: Mapping[str, Any]) -> dict[str, Any]:
        answer = await execute(call, tool.name, again)
        return compact_answer(
            orjson.loads(answer.body or b"{}"), keeps_audit=keeps_audit, is_record=_may_be_record(tool)
        )

    async with call.turn:
        unread_answers.require_room(call.turn.key)
        return await limit_answer(run, tool, arguments, settings.mcp_max_answer_bytes)
