"""The log of all messages, for ``mcp.server.traffic-logging=ALL``. Secrets are masked by their names.

Text that repeats the structured content, and the text of CSV files, is left out: nothing in it has a name.
"""

from collections.abc import Mapping
from typing import Any, Final

from mcp.server.context import CallNext, HandlerResult
from mcp.shared.exceptions import MCPError
from pydantic import BaseModel

from runtime.logs import log
from runtime.mcp.context import Context

_TEXTS: Final = frozenset({"csv", "content", "contents"})


async def log_message(ctx: Context, call_next: CallNext) -> HandlerResult:
    """Log a message and its answer."""
    named = {"method": ctx.method, "message_id": ctx.request_id}
    log.info("mcp.message", **named, params=shorten(ctx.params or {}))
    try:
        result = await call_next(ctx)
    except MCPError as error:
        log.info("mcp.error", **named, code=error.code, message=error.message)
        raise
    shown = result.model_dump(mode="json", by_alias=True) if isinstance(result, BaseModel) else result
    log.info("mcp.answer", **named, result=shorten(shown))
    return result


def shorten(value: Any) -> Any:
    """Return a value with the lengths of texts in place of those that may hold secrets without a name."""
    if isinstance(value, Mapping):
        return {name: _count(one) if name in _TEXTS else shorten(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [shorten(one) for one in value]
    return value


def _count(value: Any) -> str:
    """Count what a member of such a name holds: a text, or whatever a client or a record has there."""
    return f"{len(str(value))} characters"
