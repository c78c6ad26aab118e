"""Running a tool by its name: the one function behind every door.

Realm, enabled tools and the user as whom tools run are settled here, the same way for all tools and all
doors; then the tool checks its own arguments and permissions.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Protocol

from pydantic_core import to_json as to_json_text

from runtime.access.reopening import open_in_realm
from runtime.agents import act_as_configured, find_enabled_tools
from runtime.call import Call
from runtime.errors import Denied, NotFound
from runtime.logs import log
from runtime.model.nearest import hint
from runtime.model.problems import validate_body
from runtime.model.tool import Tool
from runtime.storage.wire import Json


class Arguments(Protocol):
    """Arguments that may name the realm to act in."""

    realm: str | None


async def execute(call: Call, tool: str, arguments: Mapping[str, Any]) -> Json[Any]:
    """Run a tool with arguments as they came.

    Raises ``NotFound`` for an unknown tool, ``Denied`` for one that is not enabled, and what
    ``validate_body`` and the tool raise.
    """
    found = find_tool(call, tool)
    # As they were sent: a number too long or not finite is refused by their class, not lost here.
    text = to_json_text(write_whole(found, arguments), inf_nan_mode="constants")
    body: Any = validate_body(found.body, text)
    entered = await enter_tool(call, found.name, body.realm if found.has_realm else None)
    answer: Json[Any] = await found.run(entered, body)
    return answer


def write_whole(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Write the integers among the arguments of a tool without a fraction.

    To JSON Schema 5.0 is an integer, and so it is to models that know one kind of number.
    """
    known = tool.arguments.get("properties", {})
    whole = {
        name: int(value)
        for name, value in arguments.items()
        if isinstance(value, float)
        and value.is_integer()
        and "integer" in known.get(name, {}).get("type", ())
    }
    return {**arguments, **whole}


async def enter_tool(call: Call, tool: str, realm: str | None) -> Call:
    """Return the call with which a tool runs. Raises ``Denied``."""
    call = await open_in_realm(call, realm)
    enabled = await find_enabled_tools(call)
    if enabled is not None and tool not in enabled:
        raise Denied(f"the tool {tool} is not enabled here")
    acting = await act_as_configured(call)
    if call.agent is not None or acting is not call:
        _log_use(call, acting, tool)
    if call.agent is None:
        return acting
    return replace(acting, principal=replace(acting.principal, agent=call.agent))


def find_tool(call: Call, name: str) -> Tool:
    """Find a tool by its name. Raises ``NotFound`` with the nearest names."""
    found = call.service.tools.get(name)
    if found is None:
        raise NotFound(f"no tool {name[:200]}{hint(name[:200], call.service.tools)}")
    return found


async def list_tools(call: Call) -> list[Tool]:
    """List the tools that the call may use, in the order of the specifications."""
    enabled = await find_enabled_tools(call)
    return [tool for tool in call.service.tools.values() if enabled is None or tool.name in enabled]


def _log_use(call: Call, acting: Call, tool: str) -> None:
    """Log one event: the audit trail of records has no reads."""
    log.info(
        "tool.used",
        tool=tool, agent=call.agent, realm=call.realm, request_id=call.request_id,
        user=acting.principal.user_id, subject=acting.principal.subject,
        by_subject=call.principal.subject, **call.principal.writer,
    )  # fmt: skip
