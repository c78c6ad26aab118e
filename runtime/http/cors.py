"""Cross-origin requests (the Fetch standard, CORS protocol): which pages of other origins may read answers.

Installed only where ``http.cors-origins`` names an origin. No credentials mode: the service has no cookies,
and a page sends its token in the header ``Authorization``. A preflight is answered here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_METHODS: Final = b"GET, HEAD, POST, PUT, PATCH, DELETE"
_REQUEST_HEADERS: Final = (
    b"Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Prefer, X-Realm, "
    b"X-Request-Id, X-Impersonate-Subject, X-Impersonate-UserId, X-Acting-On-Behalf-Of-Subject, "
    b"X-Acting-On-Behalf-Of-UserId"
)
_RESPONSE_HEADERS: Final = (
    b"ETag, Location, Retry-After, WWW-Authenticate, X-Request-Id, Dry-Run, Idempotency-Replayed, "
    b"Preference-Applied, Content-Disposition, X-Import-Success-Count, X-Import-Failed-Count, "
    b"X-Import-Message"
)
_MAX_AGE: Final = b"600"
_ANY: Final = b"*"


class Cors:
    """Wraps the application; ``origins`` are those of the pages that may read answers, ``*`` is any."""

    def __init__(self, app: ASGIApp, origins: Iterable[str]) -> None:
        self.app = app
        self._origins = frozenset(origin.encode() for origin in origins)
        self._is_open = _ANY in self._origins
        self._vary = () if self._is_open else ((b"vary", b"Origin"),)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer preflights; mark all other answers."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        allowed = self._allowed_origin(scope)
        if allowed and _is_preflight(scope):
            await send({"type": "http.response.start", "status": 204, "headers": self._preflight(allowed)})
            await send({"type": "http.response.body", "body": b""})
            return
        added = (*self._vary, *_of_answer(allowed))

        async def send_marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *added]
            await send(message)

        await self.app(scope, receive, send_marked)

    def _allowed_origin(self, scope: Scope) -> bytes:
        """Return the value of ``Access-Control-Allow-Origin``; empty where the origin may not read this."""
        sent = [value for name, value in scope["headers"] if name == b"origin"]
        if len(sent) != 1:
            return b""
        if self._is_open:
            return _ANY
        return sent[0] if sent[0] in self._origins else b""

    def _preflight(self, allowed: bytes) -> list[tuple[bytes, bytes]]:
        return [
            (b"access-control-allow-origin", allowed),
            (b"access-control-allow-methods", _METHODS),
            (b"access-control-allow-headers", _REQUEST_HEADERS),
            (b"access-control-max-age", _MAX_AGE),
            *self._vary,
        ]


def _is_preflight(scope: Scope) -> bool:
    asks = any(name == b"access-control-request-method" for name, _value in scope["headers"])
    return asks and scope["method"] == "OPTIONS"


def _of_answer(allowed: bytes) -> tuple[tuple[bytes, bytes], ...]:
    if not allowed:
        return ()
    return (
        (b"access-control-allow-origin", allowed),
        (b"access-control-expose-headers", _RESPONSE_HEADERS),
    )
