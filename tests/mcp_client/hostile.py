"""An MCP server that lies and floods: what one of its tools answers, byte by byte."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn


@dataclass
class Hostile:
    """``answers``: the schema for answers. ``result``: what is sent, with ``repeated`` megabytes behind it.

    ``cursor``: of the page behind each page of tools; ``listed``: how many it was asked for.
    """

    arguments: dict[str, Any] = field(default_factory=lambda: {"type": "object"})
    answers: dict[str, Any] | None = None
    result: bytes = b'{"content": []}'
    repeated: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    description: str = ""
    cursor: str | None = None
    listed: int = 0
    accepted: list[str] = field(default_factory=list)

    def become(self, **said: Any) -> None:
        """Behave as said from now on, and otherwise as at first."""
        vars(self).update(vars(Hostile(**said)))

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        message = await receive()
        body = message.get("body", b"")
        while message.get("more_body"):
            message = await receive()
            body += message.get("body", b"")
        self.accepted += [value.decode() for name, value in scope["headers"] if name == b"accept-encoding"]
        if scope["method"] != "POST":
            await _answer(send, 405, {}, [b""])
            return
        asked = json.loads(body)
        status, headers, parts = self._describe(asked["method"], asked.get("id"))
        await _answer(send, status, headers, parts)

    def _describe(self, method: str, number: Any) -> tuple[int, dict[str, str], list[bytes]]:
        tool = {"name": "tool", "inputSchema": self.arguments, "description": self.description}
        listed: dict[str, Any] = {"nextCursor": self.cursor} if self.cursor else {}
        listed["tools"] = [tool if self.answers is None else tool | {"outputSchema": self.answers}]
        self.listed += method == "tools/list"
        own = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
               "serverInfo": {"name": "hostile", "version": "1"}}  # fmt: skip
        start = b'{"jsonrpc": "2.0", "id": ' + json.dumps(number).encode() + b', "result": '
        if number is None:
            return 202, {}, [b""]
        if method == "tools/call":
            return 200, self.headers, [start, self.result, *[b" " * 2**20] * self.repeated, b"}"]
        known = {"initialize": own, "tools/list": listed}
        if method not in known:
            return 404, {}, [b""]
        return 200, {}, [start, json.dumps(known[method]).encode(), b"}"]


async def _answer(send: Any, status: int, headers: dict[str, str], parts: list[bytes]) -> None:
    named = {"content-type": "application/json", **headers}
    pairs = [(name.encode(), value.encode()) for name, value in named.items()]
    await send({"type": "http.response.start", "status": status, "headers": pairs})
    for part in parts:
        await send({"type": "http.response.body", "body": part, "more_body": True})
    await send({"type": "http.response.body", "body": b""})


@contextmanager
def serve_hostile(server: Hostile) -> Iterator[str]:
    """Serve it from a thread; yield its address."""
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(server, log_level="critical", lifespan="off", timeout_graceful_shutdown=1)
    running = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: asyncio.run(running.serve([listener])), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/mcp"
    finally:
        running.should_exit = True
        thread.join(5)
