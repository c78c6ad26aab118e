"""What the SDK passes to the function that answers a message."""

from typing import Any, TypeAlias

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import PaginatedRequestParams
from mcp_types.jsonrpc import INTERNAL_ERROR, INVALID_PARAMS

from runtime.mcp.exchange import IN_SCOPE, Exchange

Context: TypeAlias = ServerRequestContext[Any, Any]


def find_exchange(context: Context) -> Exchange:
    """Return the exchange of a message. Raises ``MCPError`` for one that came past the door."""
    scope = getattr(context.request, "scope", {})
    found = scope.get(IN_SCOPE)
    if not isinstance(found, Exchange):
        raise MCPError(INTERNAL_ERROR, "a message without a call")
    return found


def refuse_cursor(params: PaginatedRequestParams | None) -> None:
    """Raise ``MCPError`` for a cursor: a list is sent whole, so that this server has given none."""
    if params is not None and params.cursor is not None:
        raise MCPError(INVALID_PARAMS, "params.cursor is not one of this server: its lists have one page")
