"""Callers that are too many, too eager or too slow: closed loops over raw connections, in one event loop."""

from __future__ import annotations

import asyncio
import re
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

_LENGTH = b"content-length: "


@dataclass
class Load:
    """What a number of callers were answered: statuses, and how long each answer of 200 took."""

    statuses: Counter[int] = field(default_factory=Counter)
    waits: list[float] = field(default_factory=list)
    unclear: int = 0
    """Refusals (503) without a ``Retry-After``."""
    seconds: float = 0.0

    @property
    def rate(self) -> float:
        """Answers of 200 a second."""
        return self.statuses[200] / self.seconds if self.seconds else 0.0

    def percentile(self, share: float) -> float:
        """In seconds."""
        found = sorted(self.waits)
        return found[min(len(found) - 1, int(share * len(found)))] if found else 0.0


class Caller:
    """One connection, opened when it is needed."""

    def __init__(self, port: int, token: str) -> None:
        self._port = port
        self._token = token
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, request: str, body: bytes = b"") -> tuple[int, bytes]:
        """Status and head of the answer; its body is read and forgotten."""
        reader, writer = self._streams or await self._open()
        method, path = request.split(" ", 1)
        lines = [f"{method} {path} HTTP/1.1", "Host: service.example", f"Authorization: Bearer {self._token}"]
        if body:
            lines += ["Content-Type: application/json", f"Content-Length: {len(body)}"]
        writer.write("\r\n".join([*lines, "", ""]).encode() + body)
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        start = head.find(_LENGTH)
        if start >= 0:
            await reader.readexactly(int(head[start + len(_LENGTH) : head.index(b"\r", start)]))
        if b"connection: close" in head:
            self.close()
        return int(head.split(b" ", 2)[1]), head

    async def open_slowly(self, path: str) -> asyncio.StreamReader:
        """Ask for a stream and read its head; the rest is for the caller to read, or not."""
        reader, writer = await self._open(limit=2**12)
        writer.write(
            f"GET {path} HTTP/1.1\r\nHost: service.example\r\nAuthorization: Bearer {self._token}\r\n\r\n".encode()
        )
        return reader

    def close(self) -> None:
        """Hang up."""
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None

    async def _open(self, limit: int = 2**20) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        self._streams = await asyncio.open_connection("127.0.0.1", self._port, limit=limit)
        return self._streams


async def keep_asking(
    caller: Caller, request: str, load: Load, until: float, *, pause: float = 0.0, is_polite: bool = True
) -> None:
    """Ask again and again. Who is polite waits after a refusal for as long as it says."""
    while (began := time.monotonic()) < until:
        try:
            status, head = await caller.ask(request)
        except (OSError, asyncio.IncompleteReadError):
            status, head = 0, b""
            caller.close()
        if (now := time.monotonic()) > until:
            break
        load.statuses[status] += 1
        if status == 200:
            load.waits.append(now - began)
        if status == 503:
            told = re.search(rb"retry-after: (\d+)", head)
            load.unclear += told is None
            await asyncio.sleep(min(until - now, float(told[1])) if is_polite and told else 0.0)
        if pause:
            await asyncio.sleep(pause)
    caller.close()


async def put_under_load(
    port: int,
    token: str,
    request: str,
    callers: int,
    seconds: float,
    *,
    is_polite: bool = True,
) -> Load:
    """So many callers for so long; what is answered afterwards does not count."""
    load = Load(seconds=seconds)
    until = time.monotonic() + seconds
    await asyncio.gather(
        *(
            keep_asking(Caller(port, token), request, load, until, is_polite=is_polite)
            for _caller in range(callers)
        )
    )
    return load


@asynccontextmanager
async def watching(
    port: int, token: str, *requests: str, callers: int = 1, pause: float = 0.02
) -> AsyncIterator[dict[str, Load]]:
    """Send each request over and over during the block, from so many callers each; yield their answers."""
    loads = {request: Load() for request in requests}
    tasks = [
        asyncio.create_task(keep_asking(Caller(port, token), request, load, float("inf"), pause=pause))
        for request, load in loads.items()
        for _caller in range(callers)
    ]
    began = time.monotonic()
    try:
        yield loads
    finally:
        for load in loads.values():
            load.seconds = time.monotonic() - began
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
