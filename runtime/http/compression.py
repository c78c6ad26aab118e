"""Compression of answers with gzip, installed only where ``http.compression`` asks for it.

JSON and CSV above 1 KiB are compressed for callers that accept it; small answers cost more than they save.
What must not be stored (tokens) is never compressed, since the size of a compressed secret can betray it.
The entity tag stays as it is: it names the version of the record, and goes back in ``If-Match``.
"""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Iterable
from typing import Final

from starlette.types import ASGIApp, Message, Receive, Scope, Send

SMALLEST: Final = 1024
"""Bytes of the smallest body that is compressed."""

_LARGE: Final = 2**17
"""Bytes of a body that is compressed in a thread: above this the event loop would wait for milliseconds."""
_LEVEL: Final = 5
_GZIP: Final = 16 + zlib.MAX_WBITS
_MEDIA_TYPES: Final = frozenset(
    {b"application/json", b"application/schema+json", b"application/problem+json", b"text/csv"}
)
_VARY: Final = (b"vary", b"Accept-Encoding")
_Headers = Iterable[tuple[bytes, bytes]]


class Compressed:
    """Wraps the application."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Compress the answer of a request that accepts it."""
        if scope["type"] != "http" or scope["method"] == "HEAD":
            await self.app(scope, receive, send)
            return
        await self.app(scope, receive, _Sending(send, is_wanted=accepts_gzip(scope["headers"])).send)


class _Sending:
    """The messages of one answer. The first is held until its body shows whether compressing it pays."""

    def __init__(self, send: Send, *, is_wanted: bool) -> None:
        self._send = send
        self._is_wanted = is_wanted
        self._start: Message | None = None
        self._gzip: zlib._Compress | None = None

    async def send(self, message: Message) -> None:
        """Pass a message on, compressed or not."""
        if message["type"] == "http.response.start" and _is_suitable(message):
            message["headers"] = [*message.get("headers", ()), _VARY]
            if self._is_wanted:
                self._start = message
                return
        if message["type"] == "http.response.body":
            message = await self._compress(message)
        await self._send(message)

    async def _compress(self, message: Message) -> Message:
        body, more = message.get("body", b""), message.get("more_body", False)
        if self._start is not None:
            start, self._start = self._start, None
            if more or len(body) >= SMALLEST:
                self._gzip = zlib.compressobj(_LEVEL, zlib.DEFLATED, _GZIP)
                start["headers"] = [one for one in start["headers"] if one[0].lower() != b"content-length"]
                start["headers"].append((b"content-encoding", b"gzip"))
            await self._send(start)
        if self._gzip is None:
            return message
        if len(body) < _LARGE:
            packed = _pack(self._gzip, body, is_last=not more)
        else:
            packed = await asyncio.to_thread(_pack, self._gzip, body, is_last=not more)
        return {**message, "body": packed}


def _pack(gzip: zlib._Compress, body: bytes, *, is_last: bool) -> bytes:
    # A stream is flushed at each piece, so that its reader sees rows as they come.
    return gzip.compress(body) + gzip.flush(zlib.Z_FINISH if is_last else zlib.Z_SYNC_FLUSH)


def _is_suitable(start: Message) -> bool:
    headers = {name.lower(): value for name, value in start.get("headers", ())}
    media_type = headers.get(b"content-type", b"").partition(b";")[0].strip()
    is_secret = b"no-store" in headers.get(b"cache-control", b"")
    return media_type in _MEDIA_TYPES and b"content-encoding" not in headers and not is_secret


def accepts_gzip(headers: _Headers) -> bool:
    """Whether ``Accept-Encoding`` names gzip, or ``*``, with a quality above 0 (RFC 9110 section 12.5.3)."""
    qualities: dict[str, float] = {}
    for name, value in headers:
        if name == b"accept-encoding":
            for item in value.decode("latin-1").split(","):
                coding, _, parameter = item.partition(";")
                qualities[coding.strip().lower()] = _quality(parameter)
    return qualities.get("gzip", qualities.get("*", 0.0)) > 0


def _quality(parameter: str) -> float:
    name, _, number = parameter.partition("=")
    if name.strip().lower() != "q":
        return 1.0
    try:
        return float(number)
    except ValueError:
        return 0.0
