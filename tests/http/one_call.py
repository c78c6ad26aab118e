"""A request and its whole answer in one call into the event loop of the service.

Starlette's ``TestClient`` streams: it crosses from thread to thread a dozen times for each request, which takes
longer than most requests do. It is left for what is read while it is made (``client.stream``).
"""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import unquote

import httpx2
from starlette.testclient import TestClient
from starlette.types import Message, Scope


def answer(client: TestClient, request: httpx2.Request) -> httpx2.Response:
    """Return what the application of a client answers. Server errors are answers, too."""
    assert client.portal is not None
    response = client.portal.call(_answer, client, request, request.read())
    response.read()
    return response


async def _answer(client: TestClient, request: httpx2.Request, body: bytes) -> httpx2.Response:
    coming: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
    sent: list[Message] = []
    is_over = asyncio.Event()

    async def receive() -> Message:
        if coming:
            return coming.pop()
        await is_over.wait()
        return {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        assert not is_over.is_set(), "the answer was over"
        assert (message["type"] == "http.response.start") is not bool(sent), "the start comes first, and once"
        sent.append(message)
        if message["type"] == "http.response.body" and not message.get("more_body"):
            is_over.set()

    try:
        await client.app(_scope(client, request), receive, send)
    except Exception:  # what a server makes of it
        if not sent:
            return httpx2.Response(500, request=request)
    start, *pieces = sent
    whole = b"".join(bytes(piece.get("body", b"")) for piece in pieces)
    stream = httpx2.ByteStream(b"" if request.method == "HEAD" else whole)
    return httpx2.Response(start["status"], headers=start["headers"], stream=stream, request=request)


def _scope(client: TestClient, request: httpx2.Request) -> Scope:
    url = request.url
    headers: list[tuple[bytes, bytes]] = [(name.lower(), value) for name, value in request.headers.raw]
    scope: dict[str, Any] = {
        "type": "http", "http_version": "1.1", "scheme": url.scheme, "method": request.method,
        "path": unquote(url.path), "raw_path": url.raw_path.split(b"?", 1)[0], "query_string": url.query,
        "root_path": "", "headers": headers, "state": client.app_state.copy(),
        "client": ("testclient", 50000), "server": (url.host, url.port or 80),
    }  # fmt: skip
    return scope
