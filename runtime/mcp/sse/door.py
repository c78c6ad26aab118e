"""The routes ``/mcp/sse`` and ``/mcp/messages/``."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

import orjson
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Send

from runtime.call import Call
from runtime.errors import AccessError, InvalidParameter, Overloaded, ServiceError
from runtime.events.rights import LOOK_SECONDS
from runtime.http.door import StreamResponse, query_values
from runtime.logs import log
from runtime.mcp.entering import Endpoint, open_caller, receive_message
from runtime.mcp.exchange import Exchange
from runtime.mcp.sse.sessions import (
    BEAT_SECONDS,
    MOST_AT_ONCE,
    Session,
    end_session,
    find_session,
    keep_version,
    open_session,
    renew_session,
    store_answer,
    take_answers,
)
from runtime.model.own_paths import MCP_MESSAGES, MCP_STREAM
from runtime.server_sent import HEADERS, MEDIA_TYPE
from runtime.stream import Stream

_BUSY_POLL: Final = 0.1
_IDLE_POLL: Final = 1.0
_IDLE_SECONDS: Final = 30.0
"""A stream on which nothing was sent for so long looks into the store less often."""

_LARGEST: Final = 4 * 2**20
"""Bytes of one answer."""

_MOST_HELD: Final = 8
_LARGEST_HELD: Final = 2**18
"""Answers that wait in memory for one stream, and characters of each; others wait in the store."""

_PARAMETER: Final = "session_id"

_INTERNAL_ERROR: Final = -32603


class SseDoor:
    """Both endpoints of one process. ``answer`` answers a message that is complete in itself.

    Answers to messages that come to the worker with the stream go straight to it.
    """

    def __init__(self, answer: ASGIApp) -> None:
        self._answer = answer
        self._held: dict[str, asyncio.Queue[str]] = {}

    @property
    def routes(self) -> list[BaseRoute]:
        """The routes, with exact paths."""
        return [
            Route(MCP_STREAM, Endpoint(self._open)),
            Route(MCP_MESSAGES, Endpoint(self._take)),
        ]

    async def _open(self, request: Request, send: Send) -> None:
        """Open a stream, whose first event says where messages are posted."""
        call = await open_caller(request, "GET")
        query_values(request, {})
        end = call.service.transfers.begin(call.turn.key)
        try:
            session_id, session = await open_session(call)
        except BaseException:
            end()
            raise
        root = request.scope.get("root_path", "")
        first = f"event: endpoint\ndata: {root}{MCP_MESSAGES}?{_PARAMETER}={session_id}\n\n"
        events = self._send_events(call, session)
        stream = Stream(first.encode(), events, MEDIA_TYPE, HEADERS)
        await StreamResponse(stream, end)(request.scope, request.receive, send)

    async def _take(self, request: Request, send: Send) -> None:
        """Accept a message, answer it, and pass the answer on."""
        call = await open_caller(request, "POST")
        session = await find_session(call, _read_session_id(request))
        body, message = await receive_message(request)
        await Response("Accepted", 202)(request.scope, request.receive, send)
        exchange = Exchange(replace(call, is_abandoned=None))  # the answer does not go to this connection
        try:
            answer_message, find_agreed_version = await asyncio.to_thread(_import_forwarding)
            answer = await answer_message(
                self._answer, request.scope, exchange, body, message, session.protocol_version
            )
            if (version := find_agreed_version(message, answer)) is not None:
                await keep_version(call, session, version)
            if answer:
                await self._send_on(call, session, message, _limit(message, answer))
        except ServiceError as error:
            log.warning("mcp.not_delivered", code=error.code, reason=error.message)

    async def _send_on(self, call: Call, session: Session, message: dict[str, Any], text: str) -> None:
        queue = self._held.get(session.name)
        if queue is not None and not queue.full() and len(text) <= _LARGEST_HELD:
            queue.put_nowait(text)
            return
        try:
            await store_answer(call, session, text)
        except Overloaded as error:  # its client waits for an answer
            await store_answer(call, session, _refuse(message, error.message))

    async def _send_events(self, call: Call, session: Session) -> AsyncGenerator[bytes, None]:
        """Send answers as they come, until the client hangs up or may no longer call."""
        queue = self._held[session.name] = asyncio.Queue(maxsize=_MOST_HELD)
        sent = beat = looked = checked = time.monotonic()
        try:
            while True:
                pause = _BUSY_POLL if time.monotonic() - sent < _IDLE_SECONDS else _IDLE_POLL
                texts = await _wait_for_own(queue, min(looked + pause, checked + LOOK_SECONDS))
                if time.monotonic() >= checked + LOOK_SECONDS:
                    checked = time.monotonic()
                    if not await _check_token(call):
                        return
                if time.monotonic() >= looked + pause:  # however many are of this worker
                    stored = await take_answers(call, session)
                    looked = time.monotonic() if len(stored) < MOST_AT_ONCE else 0.0  # more may be there
                    texts += stored
                for text in texts:
                    sent = time.monotonic()
                    yield f"event: message\ndata: {text}\n\n".encode()
                if not texts:
                    yield b""  # lets the response notice that the client has gone
                if time.monotonic() - beat >= BEAT_SECONDS:
                    beat = time.monotonic()
                    if not await renew_session(call, session):
                        return
                    yield b": still here\n\n"
        finally:
            self._held.pop(session.name, None)
            await end_session(call, session)


def _import_forwarding() -> tuple[Callable[..., Awaitable[bytes]], Callable[..., str | None]]:
    from runtime.mcp.sse.forwarding import answer_message, find_agreed_version

    return answer_message, find_agreed_version


async def _wait_for_own(queue: asyncio.Queue[str], until: float) -> list[str]:
    """Wait for an answer of this worker; return all that are there, none where none comes in time."""
    texts: list[str] = []
    with suppress(TimeoutError):
        texts.append(await asyncio.wait_for(queue.get(), until - time.monotonic()))
    while not queue.empty():
        texts.append(queue.get_nowait())
    return texts


async def _check_token(call: Call) -> bool:
    """Return whether the token of a stream is still good."""
    try:
        if call.open_again is not None:
            await call.open_again()
    except AccessError:
        return False
    return True


def _read_session_id(request: Request) -> str:
    value = query_values(request, {_PARAMETER: False}).get(_PARAMETER, "")
    if not 0 < len(value) <= 64:
        raise InvalidParameter("name the session as the stream has sent it", parameter=_PARAMETER)
    return str(value)


def _limit(message: dict[str, Any], answer: bytes) -> str:
    """Return an answer as text; an error in place of one that is too large for an event."""
    if len(answer) <= _LARGEST:
        return answer.decode()
    return _refuse(message, "the answer is too large for this transport; ask for less")


def _refuse(message: dict[str, Any], reason: str) -> str:
    error = {"code": _INTERNAL_ERROR, "message": reason}
    return orjson.dumps({"jsonrpc": "2.0", "id": message["id"], "error": error}).decode()
