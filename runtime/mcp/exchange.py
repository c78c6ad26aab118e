"""One request at the MCP door: the call it was opened for, and what its response needs besides its body."""

from dataclasses import dataclass
from typing import Final

from runtime.call import Call
from runtime.errors import Denied, ServiceError

IN_SCOPE: Final = "recordsmith.mcp"
"""Where the scope of a request has its ``Exchange``: handlers run in other tasks than the door."""


@dataclass(slots=True)
class Exchange:
    """``refused``: the token lacks a scope, so that the status of the response is 403 and not 200."""

    call: Call
    refused: Denied | None = None


def note_missing_scope(exchange: Exchange, error: ServiceError) -> None:
    """Note that all that is in the way is a scope that the token lacks."""
    if isinstance(error, Denied) and error.details.get("scope") is not None:
        exchange.refused = error
