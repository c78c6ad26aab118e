"""``make faults``: many writers of one record, beside one writer by itself. Exit code 1 when one is refused.

``python tests/faults/hot_record.py [--seconds N] [--writers N]``
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
from rich.console import Console
from rich.table import Table

from runtime.storage.embedded import run_embedded
from tests.faults.ending import run_harness
from tests.faults.service import ServiceProcess, served

CUSTOMERS, ORDERS = "/logistics/customers", "/logistics/orders"
PATCH = {"Content-Type": "application/merge-patch+json"}


@dataclass
class Load:
    """Writers of one record for some seconds, and what they were answered."""

    path: str
    member: str
    answers: Counter[int] = field(default_factory=Counter)
    waits: list[float] = field(default_factory=list)
    seconds: float = 0.0

    async def run(self, client: httpx2.AsyncClient, writers: int, seconds: float) -> None:
        """Let each writer patch the record, one request after the other, without a version."""
        began = time.monotonic()
        async with asyncio.TaskGroup() as group:
            for _writer in range(writers):
                group.create_task(self._write(client, began + seconds))
        self.seconds = time.monotonic() - began

    async def _write(self, client: httpx2.AsyncClient, until: float) -> None:
        while (began := time.monotonic()) < until:
            value = chr(65 + len(self.waits) % 26) * 3
            answer = await client.patch(self.path, json={self.member: value}, headers=PATCH)
            self.answers[answer.status_code] += 1
            self.waits.append(time.monotonic() - began)

    @property
    def rate(self) -> float:
        """Writes a second."""
        return self.answers[200] / self.seconds

    @property
    def refused(self) -> int:
        """Writes that were not stored."""
        return self.answers.total() - self.answers[200]


def main() -> int:
    """Run with one worker and with two, show the figures, and say whether every writer was served."""
    options, out = _options(), Console()
    table = Table(
        "record", "workers", "writers", "writes/s", "refused", "median ms", "longest ms", "versions"
    )
    broken = 0
    for workers in (1, 2):
        with (
            tempfile.TemporaryDirectory(prefix="recordsmith-hot-") as name,
            run_embedded(Path(name)) as uri,
            served(uri, Path(name) / "service", workers) as service,
        ):
            for kind, writers in (("plain", 1), ("plain", options.writers), ("audited", options.writers)):
                load, grown = asyncio.run(_load(service, kind, writers, options.seconds))
                waits = sorted(load.waits)
                median, longest = waits[len(waits) // 2] * 1000, waits[-1] * 1000
                table.add_row(
                    kind, str(workers), str(writers), f"{load.rate:.0f}", str(load.refused),
                    f"{median:.0f}", f"{longest:.0f}", "right" if grown == load.answers[200] else "WRONG",
                )  # fmt: skip
                broken += load.refused + (grown != load.answers[200])
    out.print(table)
    return 1 if broken else 0


async def _load(service: ServiceProcess, kind: str, writers: int, seconds: float) -> tuple[Load, int]:
    """The load, and by how many versions the record has grown."""
    base, member = (CUSTOMERS, "name") if kind == "plain" else (ORDERS, "currency")
    headers = {"Authorization": f"Bearer {service.token}"}
    limits = httpx2.Limits(max_connections=writers)
    async with httpx2.AsyncClient(base_url=service.url, headers=headers, timeout=60, limits=limits) as client:
        body = {"name": "Hot"} if kind == "plain" else await _order(client)
        made = (await client.post(base, json=body)).raise_for_status().json()
        load = Load(f"{base}/id/{made['id']}", member)
        await load.run(client, writers, seconds)
        now = (await client.get(load.path)).raise_for_status().json()
    return load, now["version"] - made["version"]


async def _order(client: httpx2.AsyncClient) -> dict[str, object]:
    async def first(path: str) -> dict[str, str]:
        rows = (await client.get(f"/logistics/{path}/list")).raise_for_status().json()["rows"]
        return {"entityId": rows[0]["id"]}

    item = {"product": await first("products"), "quantity": 1, "price": "1.00"}
    return {"customer": await first("customers"), "items": [item]}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=4, help="of each load")
    parser.add_argument("--writers", type=int, default=64)
    return parser.parse_args()


if __name__ == "__main__":
    run_harness(main)
