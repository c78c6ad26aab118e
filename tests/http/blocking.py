"""How long a request holds the event loop: the greatest processor time of the process between two turns of the
loop. A thread that keeps the interpreter to itself counts; other processes of a busy machine do not."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable
from contextlib import suppress
from typing import Any

from starlette.types import ASGIApp

from tests.http.nasty_bodies import Nasty
from tests.http.one_call import plain_scope

_CODES = [f"{a}{b}{n}".encode() for a in "BCDE" for b in "ABCDEFGH" for n in range(100, 999)]

_FIRST = 200
"""Bytes of a large body that are filled in: what every article has stands there."""

CHUNK = 64 * 1024
"""As a server hands a body over."""


async def longest_block(work: Awaitable[Any]) -> float:
    """The seconds of the longest turn of the loop while ``work`` runs."""
    longest = 0.0

    async def beat() -> None:
        nonlocal longest
        before = time.process_time()
        while True:
            await asyncio.sleep(0)
            now = time.process_time()
            longest, before = max(longest, now - before), now

    beating = asyncio.create_task(beat())
    await asyncio.sleep(0)
    try:
        await work
    finally:
        await asyncio.sleep(0)
        beating.cancel()
        with suppress(asyncio.CancelledError):
            await beating
    return longest


def _filled(content: bytes, maker: str) -> bytes:
    return (
        content.replace(b"{maker}", maker.encode())
        .replace(b'"price":"AA000"', b'"price":"%d.00"' % len(_CODES))
        .replace(b"AA000", _CODES.pop())
    )


async def ask(app: ASGIApp, nasty: Nasty, token: str, maker: str) -> int:
    """Send a request to an application; the status of its answer."""
    method, path = nasty.request.replace("{maker}", maker).split(" ")
    first = len(nasty.content) if len(nasty.content) < 2**22 else _FIRST
    content = _filled(nasty.content[:first], maker) + nasty.content[first:]
    headers = {
        "authorization": f"Bearer {token}", "content-type": nasty.media_type, "host": "testserver",
        "content-length": str(len(content)),
    }  # fmt: skip
    scope = plain_scope(method, path, b"", headers)
    pieces = [content[start : start + CHUNK] for start in range(0, len(content), CHUNK)]
    pieces.reverse()
    status = 0

    async def receive() -> Any:
        if not pieces:
            return {"type": "http.disconnect"}
        await asyncio.sleep(0)
        piece = pieces.pop()
        return {"type": "http.request", "body": piece, "more_body": bool(pieces)}

    async def send(message: Any) -> None:
        nonlocal status
        status = message.get("status", status)

    await app(scope, receive, send)
    return status
