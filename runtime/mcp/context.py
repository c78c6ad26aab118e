"""What the SDK passes to the function that answers a message."""

from typing import Any, TypeAlias

from mcp.server.context import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types.jsonrpc import INTERNAL_ERROR

from runtime.mcp.exchange import IN_SCOPE, Exchange

Context: TypeAlias = ServerRequestContext[Any, Any]


def find_exchange(context: Context) -> Exchange:
    """Return the exchange of a message. Raises ``MCPError`` for one that came past the door."""
    scope = getattr(context.request, "scope", {})
    found = scope.get(IN_SCOPE)
    if not isinstance(found, Exchange):
        raise MCPError(INTERNAL_ERROR, "a message without a call")
    return found
