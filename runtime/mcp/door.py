"""The route ``/mcp``, and the lifetime of what answers messages in one process.

Each request is complete in itself (no session, no event stream), so any worker can answer it. The SDK is
imported with the first message: it takes some 20 MB, which a worker that no assistant calls does without.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.requests import Request
from starlette.routing import BaseRoute, Route
from starlette.types import Message, Receive, Scope, Send

from runtime.errors import InvalidParameter, NotOffered, UnknownParameter
from runtime.http.challenges import build_challenge
from runtime.http.door import query_values
from runtime.mcp.entering import (
    RESOURCE,
    Endpoint,
    NoMessage,
    open_caller,
    receive_message,
    replay_body,
    spell_media_types,
)
from runtime.mcp.exchange import IN_SCOPE, Exchange
from runtime.mcp.late import LateServer
from runtime.mcp.sse import SseDoor
from runtime.model.own_paths import MCP
from runtime.settings import Settings


class McpDoor:
    """The endpoints of one application; ``title`` is the name of the server."""

    def __init__(self, title: str, settings: Settings) -> None:
        self._title = title
        self._settings = settings
        self._server: LateServer | None = None
        self._sse = SseDoor(self.answer)

    @property
    def routes(self) -> list[BaseRoute]:
        """The routes, with exact paths."""
        return [Route(MCP, Endpoint(self._take)), *self._sse.routes]

    @asynccontextmanager
    async def run(self) -> AsyncIterator[None]:
        """Answer messages during the block."""
        self._server = LateServer(self._title, self._settings)
        try:
            yield
        finally:
            server, self._server = self._server, None
            await server.close()

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Have the SDK answer a message whose caller is in the scope. Raises ``NotOffered`` after ``run``."""
        if self._server is None:
            raise NotOffered("the service is not running")
        await self._server.answer(scope, receive, send)

    async def _take(self, request: Request, send: Send) -> None:
        """Answer one message."""
        exchange = Exchange(await open_caller(request, "POST"))
        try:
            query_values(request, {})
        except (UnknownParameter, InvalidParameter) as error:
            raise NoMessage.of(error) from None
        body, _message = await receive_message(request)
        spell_media_types(request)
        request.scope[IN_SCOPE] = exchange
        try:
            marked = _mark(exchange, self._settings, send)
            await self.answer(request.scope, replay_body(body, request.receive), marked)
        finally:
            del request.scope[IN_SCOPE]  # it refers to the request, and so to itself


def _mark(exchange: Exchange, settings: Settings, send: Send) -> Send:
    """Mark the response: answers are nobody else's, and a missing scope is 403 with a challenge."""

    async def send_marked(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = [(b"cache-control", b"private, no-store")]
            if exchange.refused is not None:
                message["status"] = exchange.refused.status
                challenge = build_challenge(exchange.refused, settings, RESOURCE)
                headers += [(name.lower().encode(), value.encode()) for name, value in challenge.items()]
            message["headers"] = [*message.get("headers", ()), *headers]
        await send(message)

    return send_marked
