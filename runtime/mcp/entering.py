"""What comes before a message reaches the SDK: origin, sign-in, size and form.

What the SDK would quote of a malformed message is refused here first.
"""

from collections.abc import Awaitable, Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, Self

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from runtime.call import Call
from runtime.errors import (
    InvalidParameter,
    MalformedRequest,
    MethodNotAllowed,
    RequestError,
    ServiceError,
    TooLarge,
    UnsupportedMediaType,
)
from runtime.http.door import open_door_call, read_message, require_origin, service_of
from runtime.http.problem_response import render_refusal

AREA: Final = "gateway"
"""The functional area of the tools, which realm overrides of a credential may name."""

RESOURCE: Final = "mcp"
"""The name of the protected resource, below the service's own."""

_PARSE_ERROR: Final = -32700
_INVALID_REQUEST: Final = -32600
"""Codes of JSON-RPC 2.0, section 5.1; the SDK has them too, and is not imported before a message has come."""

_ALLOWED: Final = "recordsmith.allowed"


class NoMessage(Exception):
    """What came is not one JSON-RPC request or notification."""

    def __init__(
        self, code: int, text: str, status: int = 400, headers: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        super().__init__(text)
        self.status, self.headers = status, headers
        error: dict[str, Any] = {"code": code, "message": text}
        self.body = orjson.dumps({"jsonrpc": "2.0", "id": None, "error": error})

    @classmethod
    def of(cls, error: RequestError) -> Self:
        """Return an error in the form that clients of MCP show, which a problem body is not."""
        return cls(_INVALID_REQUEST, error.message, error.status, error.headers)


async def open_caller(request: Request, method: str) -> Call:
    """Open the call of a request.

    A client that asks by another method first learns where to sign in, too. Raises ``Unauthenticated``,
    ``Denied``, ``MethodNotAllowed``.
    """
    service = service_of(request)
    require_origin(request, service)
    call = await open_door_call(request, AREA, service.tokens.mcp_audience)
    sent = "HEAD" if request.scope.get("is_head") else request.method  # nobody reads the stream of a HEAD
    if sent != method:
        request.scope[_ALLOWED] = method
        raise MethodNotAllowed(f"{sent} is not offered here; allowed: {method}")
    return call


async def receive_message(request: Request) -> tuple[bytes, dict[str, Any]]:
    """Return the body of a request, and it as a message.

    Raises ``NoMessage``, ``RepeatedMember``, and for a large message that the caller may not send ``Denied``.
    """
    try:
        body = await read_message(request)
    except (UnsupportedMediaType, TooLarge, MalformedRequest, InvalidParameter) as error:
        raise NoMessage.of(error) from None
    try:
        message = orjson.loads(body)
    except orjson.JSONDecodeError as error:
        where = f"at line {error.lineno} column {error.colno}"
        raise NoMessage(_PARSE_ERROR, f"the message cannot be read as JSON: {error.msg} {where}") from None
    if isinstance(message, list):
        raise NoMessage(_INVALID_REQUEST, "batches are not taken: send each message in a request of its own")
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise NoMessage(_INVALID_REQUEST, 'send one JSON-RPC object with "jsonrpc": "2.0"')
    if not isinstance(message.get("method"), str) or not isinstance(message.get("params", {}), dict):
        raise NoMessage(_INVALID_REQUEST, "method must be a string and params an object")
    if "id" in message and type(message["id"]) not in (str, int):
        raise NoMessage(_INVALID_REQUEST, "id must be a string or an integer")
    return body, message


class Endpoint:
    """An ASGI application: one function, and the response to what it refuses."""

    def __init__(self, work: Callable[[Request, Send], Awaitable[None]]) -> None:
        self._work = work

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Request(scope, receive, send)
        try:
            await self._work(request, send)
        except (ServiceError, NoMessage) as error:
            response = await _render_refusal(request, error)
            await response(scope, receive, send)


async def _render_refusal(request: Request, error: ServiceError | NoMessage) -> Response:
    if isinstance(error, NoMessage):
        headers = {"Cache-Control": "no-store", **error.headers}
        return Response(error.body, error.status, headers, "application/json")
    response = await render_refusal(request, error, RESOURCE)
    if isinstance(error, MethodNotAllowed):
        response.headers["Allow"] = request.scope[_ALLOWED]
    return response


def spell_media_types(request: Request) -> None:
    """Write the media types of a request as the SDK compares them: in lower case, and with an Accept header.

    The case of a type has no meaning, and a request without the header accepts anything (RFC 9110 §8.3.1,
    §12.5.1).
    """
    own = {b"content-type": request.headers["content-type"].lower().encode("latin-1")}
    if not request.headers.get("accept", "").strip():
        own[b"accept"] = b"application/json"
    others = [(name, value) for name, value in request.scope["headers"] if name not in own]
    request.scope["headers"] = [*others, *own.items()]


def replay_body(body: bytes, receive: Receive) -> Receive:
    """Give a body that was read to the next reader, who may then wait for the end of the connection."""
    waiting = [body]

    async def receive_again() -> Message:
        if waiting:
            return {"type": "http.request", "body": waiting.pop(), "more_body": False}
        return await receive()

    return receive_again
