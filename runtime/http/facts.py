"""The facts of a route besides its signature, as its row in ``generator/operations`` has them."""

from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Literal, TypedDict

from fastapi import Request, Response

Function = Callable[..., Awaitable[Any]]
"""The function of a route."""

Handler = Callable[[Request], Coroutine[Any, Any, Response]]
"""What a route makes of a request."""


class Facts(TypedDict, total=False):
    """The arguments of a route's decorator."""

    operation_id: str
    terms: str
    """The argument that has the idempotency key, and the wish for a dry run."""
    upload: str
    """The argument that is the uploaded file."""
    streams: bool
    """Whether the response is a stream."""
    watches: bool
    """Whether the response may be a stream of events without end, of which there may be many."""
    errors: Literal["line", "oauth", "page"]
    """How errors are shown: 400 and 500 as one line of text, for tools that read CSV; all as bodies of
    RFC 6749; all as pages for people. Else they are problems."""
    large_body: tuple[str, ...]
    """Actions; for callers that may do one of them the body may have megabytes, for others 64 KiB."""
    is_bulk: bool
    """Whether the body holds many records."""
