"""Webhooks: how many deliveries a worker sends a second, and what a webhook adds to a write.

``python tests/bench/webhooks.py [--deliveries N] [--writes N] [--at-once N]``: one worker, an embedded MongoDB
and a receiver of its own process. Writes with and without a webhook alternate, so the ratio holds where the
figures drift; first one after the other, then so many at once. The processor time of a write counts all that
follows it: a turn ends when everything was delivered.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import mean, median
from typing import Any, NamedTuple

import httpx2
from pymongo import MongoClient

from runtime.storage.embedded import run_embedded
from tests.bench.processes import cpu_seconds
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


class Cost(NamedTuple):
    """Milliseconds of a write: until it was answered, and of the processor."""

    waited: float
    service: float
    mongod: float


class Bench:
    """A signed-in client of the service, and the receiver. ``mongod``: the process of MongoDB."""

    def __init__(self, service: ServiceProcess, receiver: str, mongod: int) -> None:
        headers = {"Authorization": f"Bearer {service.token}"}
        self._client = httpx2.Client(base_url=service.url, headers=headers, timeout=60)
        self._receiver, self._service, self._mongod = receiver, service, mongod

    def ask(self, method: str, path: str, **options: Any) -> Any:
        answer = self._client.request(method, path, **options)
        answer.raise_for_status()
        return answer.json() if answer.content else None

    def came(self) -> int:
        """How many notifications the receiver has had."""
        return int(httpx2.get(self._receiver).text)

    def processor_seconds(self) -> tuple[float, float]:
        """What the service and MongoDB have used."""
        assert self._service.process is not None
        return cpu_seconds(self._service.process.pid) or 0.0, cpu_seconds(self._mongod) or 0.0

    def await_notifications(self, number: int) -> None:
        """Wait until the receiver has had so many."""
        while self.came() < number:
            time.sleep(0.02)

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
        first, began, (used, _mongod) = self.came(), time.monotonic(), self.processor_seconds()
        self.await_notifications(before + number)
        rest = before + number - first
        return rest / (time.monotonic() - began), 1000 * (self.processor_seconds()[0] - used) / rest

    def measure_writes(self, hook: str, number: int, at_once: int) -> tuple[Cost, Cost]:
        """Measure writes without and with a webhook: the median of the time, the means of the processor."""
        found: dict[bool, list[Cost]] = {False: [], True: []}
        with ThreadPoolExecutor(at_once) as threads:
            for turn in range(10):
                on = bool(turn % 2)
                self.switch(hook, on=on)
                names = [f"Carrier {at_once} {turn} {at}" for at in range(number // 10)]
                came, used, began = self.came(), self.processor_seconds(), time.perf_counter()
                waits = list(threads.map(self._write, names))
                each = 1000 * (time.perf_counter() - began) / len(names)
                if on:
                    self.await_notifications(came + len(names))
                    time.sleep(0.1)  # until the last outcomes are stored
                spent = zip(self.processor_seconds(), used, strict=True)
                service, mongod = (1000 * (now - before) / len(names) for now, before in spent)
                found[on].append(Cost(median(waits) if at_once == 1 else each, service, mongod))
        without, with_one = (
            Cost(median(one.waited for one in some), mean(one.service for one in some), mean(one.mongod for one in some))
            for some in found.values()
        )  # fmt: skip
        return without, with_one

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
            with MongoClient[dict[str, Any]](uri) as client:
                mongod = int(client.admin.command("serverStatus")["pid"])
            bench = Bench(service, address, mongod)
            body = {"recordTypes": ["Carrier"], "address": address}
            hook = bench.ask("POST", f"{WEBHOOKS}/create", json=body)["id"]
            rate, each = bench.measure_sending(given.deliveries)
            writes = {many: bench.measure_writes(hook, given.writes, many) for many in (1, given.at_once)}
    finally:
        receiver.kill()
        receiver.wait()
    print(f"{rate:.0f} deliveries a second, {each:.2f} ms of the processor for each")
    for many, costs in writes.items():
        for name, cost in zip(("a write", "a write with a webhook"), costs, strict=True):
            print(
                f"{many} at once: {name} takes {cost.waited:.2f} ms; of the processor {cost.service:.2f} ms in the "
                f"service, {cost.mongod:.2f} ms in MongoDB"
            )
        without, with_one = costs
        spent = (with_one.service + with_one.mongod) / (without.service + without.mongod)
        print(
            f"{many} at once: {with_one.waited / without.waited:.2f} × the time, {spent:.2f} × the processor"
        )


if __name__ == "__main__":
    main()
