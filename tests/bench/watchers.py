"""Watchers of the change feed: how soon all of them have a write, and what each costs.

``python tests/bench/watchers.py [--watchers N] [--idle N] [--writes N]``: one worker, an embedded
MongoDB, and the watchers in this process. Fails (1) when the last watcher gets a write later than 250 ms after its
acknowledgement (99th percentile), when one costs more than 20 KB, or when idle ones are not held.
"""

from __future__ import annotations

import argparse
import asyncio
import resource
import sys
import tempfile
import time
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import httpx2

from runtime.storage.embedded import run_embedded
from tests.bench.processes import cpu_seconds, memory_mb
from tests.faults.service import ServiceProcess, served

SHIPMENTS = "/logistics/shipments"
MOST_MS, MOST_KB = 250.0, 20.0
HELD_SECONDS = 20.0
"""Longer than there is between two signs of life."""
_AT_ONCE = 50
"""How many connect at once."""


class Watcher(asyncio.Protocol):
    """One stream: how many events have come, when the last one did, and whether it is open."""

    def __init__(self, request: bytes, watchers: Watchers) -> None:
        self._request, self._watchers = request, watchers
        self.is_open, self.begun = True, asyncio.get_running_loop().create_future()
        self.events = 0
        self.bytes = 0

    def connection_made(self, transport: Any) -> None:
        self.transport = transport
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        self.bytes += len(data)
        if not self.begun.done():
            if self.bytes == len(data) and not data.startswith(b"HTTP/1.1 200"):
                self.begun.set_exception(ConnectionError(data.decode()))
            elif b"\nid: " in data:
                self.begun.set_result(None)
        if number := data.count(b"\ndata: "):
            self.events += number
            self._watchers.note(number)

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_open = False
        if not self.begun.done():
            self.begun.set_exception(ConnectionError("no stream"))


class Watchers:
    """All of them. ``missing``: events that have yet to come."""

    def __init__(self, service: ServiceProcess) -> None:
        head = f"GET {SHIPMENTS}/changes HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {service.token}\r\n\r\n"
        self._request, self._port = head.encode(), service.port
        self.all: list[Watcher] = []
        self.missing = 0
        self.last_at = 0.0
        self.have_all = asyncio.Event()

    def note(self, number: int) -> None:
        self.missing -= number
        if self.missing == 0:
            self.last_at = time.perf_counter()
            self.have_all.set()

    async def connect(self, number: int) -> None:
        """Open more streams, and wait until each has begun."""
        loop, free = asyncio.get_running_loop(), asyncio.Semaphore(_AT_ONCE)

        async def open_one() -> None:
            async with free:
                while True:
                    made = await loop.create_connection(
                        lambda: Watcher(self._request, self), "127.0.0.1", self._port
                    )
                    try:
                        await asyncio.wait_for(made[1].begun, 60)
                    except ConnectionError as refusal:
                        if "HTTP/1.1 503" not in str(refusal):
                            raise
                        await asyncio.sleep(1)  # overloaded: as its Retry-After asks
                    else:
                        self.all.append(made[1])
                        return

        await asyncio.gather(*(open_one() for _ in range(number)))

    async def measure(self, client: httpx2.AsyncClient, record: str, writes: int) -> list[float]:
        """Milliseconds from the acknowledgement of each write until the last watcher has it."""
        found: list[float] = []
        for at in range(writes):
            self.missing = len(self.all)
            self.have_all.clear()
            await write(client, record, f"number {at}")
            acknowledged = time.perf_counter()
            await asyncio.wait_for(self.have_all.wait(), 60)
            found.append(1000 * (self.last_at - acknowledged))
        return found


async def write(client: httpx2.AsyncClient, record: str, notes: str) -> None:
    headers = {"Content-Type": "application/merge-patch+json"}
    answer = await client.patch(f"{SHIPMENTS}/id/{record}", json={"notes": notes}, headers=headers)
    answer.raise_for_status()


async def create(client: httpx2.AsyncClient) -> str:
    async def find(path: str) -> dict[str, str]:
        return {"entityId": (await client.get(f"{path}/list")).raise_for_status().json()["rows"][0]["id"]}

    airport = await find("/logistics/airports")
    body = {"customer": await find("/logistics/customers"), "origin": airport, "destination": airport}
    made = (await client.post(SHIPMENTS, json=body)).raise_for_status().json()
    return str(made["id"])


async def measure(service: ServiceProcess, given: argparse.Namespace) -> bool:
    assert service.process is not None
    pid, watchers = service.process.pid, Watchers(service)
    headers = {"Authorization": f"Bearer {service.token}"}
    async with httpx2.AsyncClient(base_url=service.url, headers=headers, timeout=60) as client:
        record = await create(client)
        for at in range(50):
            await write(client, record, f"before {at}")
        await watchers.connect(20)
        await asyncio.sleep(1)
        before = memory_mb(pid) or 0.0
        began = time.perf_counter()
        await watchers.connect(given.watchers - 20)
        print(f"{given.watchers} watchers connect in {time.perf_counter() - began:.1f} s")
        await asyncio.sleep(2)
        each = 1024 * ((memory_mb(pid) or 0.0) - before) / (given.watchers - 20)
        used = cpu_seconds(pid) or 0.0
        waits = await watchers.measure(client, record, given.writes)
        used = (cpu_seconds(pid) or 0.0) - used
        p99 = quantiles(waits, n=100)[98]
        print(
            f"the last one has a write {median(waits):.0f} ms after its acknowledgement (median), {p99:.0f} ms "
            f"(99th percentile), {max(waits):.0f} ms (most); {1000 * used / given.writes:.0f} ms of the processor a write"
        )
        print(f"{each:.1f} KB each")
        await watchers.connect(given.idle - given.watchers)
        idle = 1024 * ((memory_mb(pid) or 0.0) - before) / (given.idle - 20)
        used, lives = cpu_seconds(pid) or 0.0, list[float]()
        end = time.monotonic() + HELD_SECONDS
        while time.monotonic() < end:
            began = time.perf_counter()
            (await client.get("/live")).raise_for_status()
            lives.append(1000 * (time.perf_counter() - began))
            await asyncio.sleep(0.05)
        used = (cpu_seconds(pid) or 0.0) - used
        held = sum(one.is_open for one in watchers.all)
        print(
            f"{held} of {given.idle} idle ones held for {HELD_SECONDS:.0f} s, {idle:.1f} KB each, "
            f"{100 * used / HELD_SECONDS:.0f} % of a processor; /live takes {quantiles(lives, n=100)[98]:.0f} ms "
            "(99th percentile)"
        )
        for one in watchers.all:
            one.transport.abort()
        return p99 <= MOST_MS and max(each, idle) <= MOST_KB and held == given.idle


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--watchers", type=int, default=1000)
    parser.add_argument("--idle", type=int, default=5000)
    parser.add_argument("--writes", type=int, default=200)
    given = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))  # the service inherits it
    most = str(given.idle + 100)
    settings = {
        "LIMITS_WATCHERS": most, "LIMITS_WATCHERS_PER_USER": most, "LIMITS_CONNECTIONS": most,
    }  # fmt: skip
    with (
        tempfile.TemporaryDirectory() as name,
        run_embedded(Path(name) / "db") as uri,
        served(uri, Path(name) / "service", 1, **settings) as service,
    ):
        return 0 if asyncio.run(measure(service, given)) else 1


if __name__ == "__main__":
    sys.exit(main())
