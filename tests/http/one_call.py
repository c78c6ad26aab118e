"""A request and its whole answer in one call into the event loop of the service.

Starlette's ``TestClient`` streams: it crosses from thread to thread a dozen times for each request, which takes
longer than most requests do. It is left for what is read while it is made (``client.stream``). Nor does a call
go by its portal, which crosses twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote
from weakref import WeakKeyDictionary

import httpx2
from anyio.from_thread import BlockingPortal
from starlette.testclient import TestClient
from starlette.types import Message, Scope

ENDLESS = (b"x-accel-buffering", b"no")
"""A header of answers that are streamed: of these the first piece is the answer, since most have no end."""

Headers = Mapping[str, str] | Sequence[tuple[bytes, bytes]]

_ENDING = "/progress"
"""How the path of a stream ends that does have one."""


def answer(client: TestClient, request: httpx2.Request, peer: tuple[str, int]) -> httpx2.Response:
    """Return what the application of a client answers to a peer. Server errors are answers, too."""
    request.read()
    answering = _answer(client, build_scope(client, request, peer), request)
    response = asyncio.run_coroutine_threadsafe(answering, _loop_of(client)).result()
    response.read()
    return response


def _loop_of(client: TestClient) -> asyncio.AbstractEventLoop:
    """Return the event loop of the service, which the client starts anew each time it is entered."""
    assert client.portal is not None
    if client.portal not in _loops:
        _loops[client.portal] = client.portal.call(_read_loop)
    return _loops[client.portal]


async def _read_loop() -> asyncio.AbstractEventLoop:
    return asyncio.get_running_loop()


_loops: WeakKeyDictionary[BlockingPortal, asyncio.AbstractEventLoop] = WeakKeyDictionary()


async def _answer(client: TestClient, scope: Scope, request: httpx2.Request) -> httpx2.Response:
    coming: list[Message] = [{"type": "http.request", "body": request.content, "more_body": False}]
    sent: list[Message] = []
    is_over = asyncio.Event()

    async def receive() -> Message:
        if coming:
            return coming.pop()
        await is_over.wait()
        return {"type": "http.disconnect"}

    is_endless = False

    async def send(message: Message) -> None:
        nonlocal is_endless
        sent.append(message)
        if message["type"] == "http.response.start":
            is_streamed = ENDLESS in [(name.lower(), value) for name, value in message["headers"]]
            is_endless = is_streamed and not scope["path"].endswith(_ENDING)
        elif is_endless and message["body"]:
            is_over.set()  # hang up
        if message["type"] == "http.response.body" and not message.get("more_body"):
            is_over.set()

    try:
        await client.app(scope, receive, send)
    except Exception:  # what a server makes of it
        if not sent:
            return httpx2.Response(500, request=request)
    start, *pieces = sent
    assert start["type"] == "http.response.start"
    assert {piece["type"] for piece in pieces} <= {"http.response.body"}, "the answer starts once"
    assert all(piece.get("more_body") for piece in pieces[:-1]), "the answer was over"
    whole = b"".join(bytes(piece.get("body", b"")) for piece in pieces)
    stream = httpx2.ByteStream(b"" if request.method == "HEAD" else whole)
    return httpx2.Response(start["status"], headers=start["headers"], stream=stream, request=request)


def build_scope(client: TestClient, request: httpx2.Request, peer: tuple[str, int]) -> Scope:
    """What a server makes of the head of a request."""
    url = request.url
    headers: list[tuple[bytes, bytes]] = [(name.lower(), value) for name, value in request.headers.raw]
    scope: dict[str, Any] = {
        "type": "http", "http_version": "1.1", "scheme": url.scheme, "method": request.method,
        "path": unquote(url.path), "raw_path": url.raw_path.split(b"?", 1)[0], "query_string": url.query,
        "root_path": "", "headers": headers, "state": client.app_state.copy(),
        "client": peer, "server": (url.host, url.port or 80),
    }  # fmt: skip
    return scope


def plain_scope(method: str, path: str, query: bytes, headers: Headers) -> Scope:
    """What a server makes of a head that is written by hand."""
    if isinstance(headers, Mapping):
        headers = [(name.lower().encode(), value.encode()) for name, value in headers.items()]
    return {
        "type": "http", "http_version": "1.1", "scheme": "http", "method": method, "path": path,
        "raw_path": path.encode(), "query_string": query, "root_path": "", "headers": headers,
        "client": ("192.0.2.1", 5000), "server": ("testserver", 80),
    }  # fmt: skip
