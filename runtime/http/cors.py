"""Cross-origin requests (the Fetch standard, CORS protocol): which pages of other origins may read answers.

Those of ``http.cors-origins`` may read all but the pages that users sign in and out at; those of any origin
may read what is published for applications, metadata and keys. No credentials mode: a page sends its token in
the header ``Authorization``. A preflight is answered here.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

_METHODS: Final = b"GET, HEAD, POST, PUT, PATCH, DELETE"
_REQUEST_HEADERS: Final = (
    b"Authorization, Content-Type, If-Match, If-None-Match, Idempotency-Key, Prefer, X-Realm, "
    b"X-Request-Id, X-Impersonate-Subject, X-Impersonate-UserId, X-Acting-On-Behalf-Of-Subject, "
    b"X-Acting-On-Behalf-Of-UserId, X-Agent, Last-Event-ID, MCP-Protocol-Version, Mcp-Method, Mcp-Name"
)
_RESPONSE_HEADERS: Final = (
    b"ETag, Location, Retry-After, WWW-Authenticate, X-Request-Id, Dry-Run, Idempotency-Replayed, "
    b"Preference-Applied, Content-Disposition, X-Import-Success-Count, X-Import-Failed-Count, "
    b"X-Import-Message, RateLimit, RateLimit-Policy"
)
_MAX_AGE: Final = b"600"
_ANY: Final = b"*"
_PUBLISHED: Final = ("/.well-known/", "/oauth/jwks")
_FOR_BROWSERS: Final = ("/oauth/authorize", "/oauth/logout")
_TO_ALL: Final = (
    (b"access-control-allow-origin", _ANY),
    (b"access-control-allow-methods", b"GET, HEAD"),
    (b"access-control-allow-headers", _ANY),
    (b"access-control-max-age", _MAX_AGE),
)


class Cors:
    """Wraps the application; ``origins`` are those of the pages that may read answers, ``*`` is any.

    ``root_path``: the prefix under which a proxy mounts it, sent along or not.
    """

    def __init__(self, app: ASGIApp, origins: Iterable[str] = (), root_path: str = "") -> None:
        self.app = app
        prefixes = {"", root_path}
        self._published = tuple(prefix + path for prefix in prefixes for path in _PUBLISHED)
        self._for_browsers = tuple(prefix + path for prefix in prefixes for path in _FOR_BROWSERS)
        self._origins = frozenset(origin.encode() for origin in origins)
        self._is_open = _ANY in self._origins
        self._vary = ((b"vary", b"Origin"),) if self._origins and not self._is_open else ()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer preflights; mark all other answers."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        added: Sequence[tuple[bytes, bytes]]
        if scope["path"].startswith(self._published):
            preflight, added = [*_TO_ALL], _TO_ALL[:1]
        else:
            allowed = self._allowed_origin(scope) if self._origins else b""
            preflight = self._preflight(allowed) if allowed else []
            added = (*self._vary, *_of_answer(allowed))
        if preflight and _is_preflight(scope):
            await send({"type": "http.response.start", "status": 204, "headers": preflight})
            await send({"type": "http.response.body", "body": b""})
            return
        if not added:
            await self.app(scope, receive, send)
            return

        async def send_marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *added]
            await send(message)

        await self.app(scope, receive, send_marked)

    def _allowed_origin(self, scope: Scope) -> bytes:
        """Return the value of ``Access-Control-Allow-Origin``; empty where the origin may not read this."""
        sent = [value for name, value in scope["headers"] if name == b"origin"]
        if len(sent) != 1 or scope["path"].startswith(self._for_browsers):
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
