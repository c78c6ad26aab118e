"""When the work of a request begins: at its turn, and where it may last for long, within a cap.

A request is parsed first, since its body comes as slowly as its sender likes, and then waits for a place
among those that use the store (``runtime.admission``). Uploads hold no place while they are read: they take
one for each batch. A stream holds one until its first bytes are there, and for each batch after them.
"""

from collections.abc import Awaitable, Callable
from enum import Enum, auto
from typing import Any, Final

from fastapi import Response

from runtime.call import Call
from runtime.http.facts import Facts
from runtime.http.streaming import StreamResponse
from runtime.http.unread_answers import unread_answers
from runtime.storage.wire import Json
from runtime.stream import Stream

Work = Callable[[], Awaitable[Json[Any] | Stream]]

_CALLER: Final = "Authorization, X-Realm, X-Impersonate-Subject, X-Impersonate-UserId"
"""The headers that tell callers apart. A browser may have had several, who see other records at one path, or
other parts of one, and the entity tag of all of these can be the same."""


class Length(Enum):
    """How long a route may last."""

    SHORT = auto()
    STREAM = auto()
    WATCH = auto()
    UPLOAD = auto()


def length_of(facts: Facts) -> Length:
    """Return how long a route with these facts may last."""
    if "upload" in facts:
        return Length.UPLOAD
    if facts.get("watches"):
        return Length.WATCH
    return Length.STREAM if facts.get("streams") else Length.SHORT


async def let_in(call: Call | None, length: Length, work: Work) -> Response:
    """Run ``work`` when the call's turn has come. Raises ``Overloaded``, and what ``work`` raises."""
    if call is None:
        return _build_response(await work())
    if length is Length.SHORT:
        async with call.turn:
            unread_answers.require_room(call.turn.key)
            return _build_response(await work())
    service = call.service
    end = (service.hub.watchers if length is Length.WATCH else service.transfers).begin(call.turn.key)
    try:
        if length is Length.UPLOAD:
            return _build_response(await work())
        async with call.turn:
            answer = await work()
        if isinstance(answer, Stream):
            response, end = StreamResponse(answer, end), _do_nothing
            return response
        return _build_response(answer)
    finally:
        end()


def _do_nothing() -> None:
    """Do nothing: there is no turn to give back when the response ends."""


def _build_response(answer: Json[Any] | Stream) -> Response:
    if isinstance(answer, Stream):  # of a route whose signature does not say so
        return StreamResponse(answer)
    headers = dict(answer.headers)
    headers.setdefault("Cache-Control", "private, no-cache")
    if "ETag" in headers:
        headers["Vary"] = _CALLER
    media_type = headers.pop("Content-Type", "application/json") if answer.body else None
    return Response(answer.body, answer.status, headers, media_type)
