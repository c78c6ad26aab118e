"""Webhooks: how many deliveries a worker sends a second, and what a webhook adds to a write.

``python tests/bench/webhooks.py [--deliveries N] [--writes N] [--at-once N]``: one worker, an embedded MongoDB
and a receiver of its own process. Writes with and without a webhook alternate, so the ratio holds where the
figures drift; first one after the other, then so many at once.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from statistics import median
from typing import Any

import httpx2

from runtime.storage.embedded import run_embedded
from tests.faults.service import ServiceProcess, served

CARRIERS, WEBHOOKS = "/logistics/carriers", "/integration/webhooks"
SETTINGS = {"WEBHOOKS_ALLOW_PRIVATE_ADDRESSES": "true", "WEBHOOKS_MAX_WAITING": "1000000"}

RECEIVER = """
import asyncio, sys
number = 0
async def answer(reader, writer):
    global number
    try:
        while True:
            head = (await reader.readuntil(b"\\r\\n\\r\\n")).lower()
            if head.startswith(b"get"):
                body = str(number).encode()
                writer.write(b"HTTP/1.1 200 OK\\r\\nContent-Length: %d\\r\\n\\r\\n%s" % (len(body), body))
                continue
            await reader.readexactly(int(head.split(b"content-length:")[1].split(b"\\r\\n")[0]))
            number += 1
            writer.write(b"HTTP/1.1 204 No Content\\r\\n\\r\\n")
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()
async def main():
    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""


class Bench:
    """A signed-in client of the service, and the receiver."""

    def __init__(self, service: ServiceProcess, receiver: str) -> None:
        headers = {"Authorization": f"Bearer {service.token}"}
        self._client = httpx2.Client(base_url=service.url, headers=headers, timeout=60)
        self._receiver, self._service = receiver, service

    def ask(self, method: str, path: str, **options: Any) -> Any:
        answer = self._client.request(method, path, **options)
        answer.raise_for_status()
        return answer.json() if answer.content else None

    def came(self) -> int:
        """How many notifications the receiver has had."""
        return int(httpx2.get(self._receiver).text)

    def processor_seconds(self) -> float:
        """What the service has used: it runs in a session of its own."""
        assert self._service.process is not None
        group, ticks = self._service.process.pid, 0
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                fields = stat.read_text().rpartition(")")[2].split()
                ticks += int(fields[11]) + int(fields[12]) if int(fields[2]) == group else 0
        return ticks / os.sysconf("SC_CLK_TCK")

    def switch(self, hook: str, *, on: bool) -> None:
        headers = {"Content-Type": "application/merge-patch+json"}
        self.ask("PATCH", f"{WEBHOOKS}/id/{hook}", json={"active": on}, headers=headers)

    def measure_sending(self, number: int) -> tuple[float, float]:
        """Deliveries a second, from the last write of many to the last answer of the receiver.

        And milliseconds of the processor for each.
        """
        before = self.came()
        operations = [
            {"op": "save", "record": {"name": f"Carrier {at}", "mode": "AIR"}} for at in range(1000)
        ]
        for start in range(0, number, 1000):
            self.ask("POST", f"{CARRIERS}/bulk", json={"operations": operations[: number - start]})
        first, began, used = self.came(), time.monotonic(), self.processor_seconds()
        while self.came() < before + number:
            time.sleep(0.02)
        rest = before + number - first
        return rest / (time.monotonic() - began), 1000 * (self.processor_seconds() - used) / rest

    def measure_writes(self, hook: str, number: int, at_once: int) -> tuple[float, float]:
        """Milliseconds of a write without and with a webhook: medians, of the turns where many come at once."""
        found: dict[bool, list[float]] = {False: [], True: []}
        with ThreadPoolExecutor(at_once) as threads:
            for turn in range(10):
                on = bool(turn % 2)
                self.switch(hook, on=on)
                names = [f"Carrier {at_once} {turn} {at}" for at in range(number // 10)]
                began = time.perf_counter()
                waits = list(threads.map(self._write, names))
                each = 1000 * (time.perf_counter() - began) / len(names)
                found[on] += waits if at_once == 1 else [each]
        return median(found[False]), median(found[True])

    def _write(self, name: str) -> float:
        began = time.perf_counter()
        self.ask("POST", CARRIERS, json={"name": name, "mode": "AIR"})
        return 1000 * (time.perf_counter() - began)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--deliveries", type=int, default=5000)
    parser.add_argument("--writes", type=int, default=2000)
    parser.add_argument("--at-once", type=int, default=16)
    given = parser.parse_args()
    receiver = subprocess.Popen([sys.executable, "-c", RECEIVER], stdout=subprocess.PIPE, text=True)
    assert receiver.stdout is not None
    address = f"http://127.0.0.1:{receiver.stdout.readline().strip()}/"
    try:
        with (
            tempfile.TemporaryDirectory() as name,
            run_embedded(Path(name) / "db") as uri,
            served(uri, Path(name) / "service", 1, **SETTINGS) as service,
        ):
            bench = Bench(service, address)
            body = {"recordTypes": ["Carrier"], "address": address}
            hook = bench.ask("POST", f"{WEBHOOKS}/create", json=body)["id"]
            rate, each = bench.measure_sending(given.deliveries)
            writes = {many: bench.measure_writes(hook, given.writes, many) for many in (1, given.at_once)}
    finally:
        receiver.kill()
        receiver.wait()
    print(f"{rate:.0f} deliveries a second, {each:.2f} ms of the processor for each")
    for many, (without, with_one) in writes.items():
        ratio = with_one / without
        print(
            f"{many} at once: a write takes {without:.2f} ms, {with_one:.2f} ms with a webhook: {ratio:.2f} times"
        )


if __name__ == "__main__":
    main()
