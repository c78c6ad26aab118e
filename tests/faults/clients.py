"""``make faults``: slow clients, large heads and half requests against one worker, and a table of what they cost.

``python tests/faults/clients.py [--clients N] [--seconds S] [--connections N]``

A caller like any other asks all the while. Exit code 1 when it was refused, a client did not end as it should, or
memory stays.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
from rich.console import Console
from rich.table import Table

from runtime.storage.embedded import run_embedded
from tests.faults.ending import run_harness
from tests.faults.hostile import Address, Ended, Scenario, crowd, play, scenarios
from tests.faults.service import ServiceProcess, served

_MOST_KEPT = 30.0
"""MB that may stay in memory when all are gone."""
_GRACE = 8.0
"""Seconds beyond its bound in which a client ends, on a busy machine."""


@dataclass
class Watch:
    """What a caller met who asked all the while."""

    waits: list[float] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)

    def at(self, share: float) -> float:
        """Milliseconds in which so large a share was answered."""
        ordered = sorted(self.waits) or [0.0]
        return ordered[min(int(len(ordered) * share), len(ordered) - 1)] * 1000


def main() -> int:
    """Run, tell, and say whether all ended as it should."""
    options = _options()
    limits = {"LIMITS_HEAD_SECONDS": options.seconds, "LIMITS_CONNECTIONS": options.connections}
    os.environ.update({name: str(value) for name, value in limits.items()})
    with tempfile.TemporaryDirectory(prefix="recordsmith-clients-") as folder:
        data = Path(folder)
        with run_embedded(data / "mongodb") as uri, served(uri, data / "service", 1) as service:
            findings = asyncio.run(_run(service, options))
    for finding in findings:
        Console().print(f"BROKEN  {finding}", markup=False)
    Console().print(f"{len(findings)} promises broken")
    return 1 if findings else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--clients", type=int, default=300, help="slow ones at once")
    parser.add_argument("--seconds", type=float, default=2, help="that a head may take")
    parser.add_argument("--connections", type=int, default=400, help="that the worker takes")
    return parser.parse_args()


async def _run(service: ServiceProcess, options: argparse.Namespace) -> list[str]:
    table = Table(
        "clients", "of", "ended", "longest, s", "MB sent", "processor, s", "a caller waits, ms (p50, p99)",
        title="slow and large clients",
    )  # fmt: skip
    findings: list[str] = []
    address: Address = ("127.0.0.1", service.port)
    async with _asking(service) as quiet:
        await asyncio.sleep(3)
    before = _megabytes(service)
    for scenario in [*scenarios(options.clients), crowd(options.connections)]:
        used = _processor(service)
        async with _asking(service) as watch:
            ended = await play(scenario, address, 2 * options.seconds + _GRACE)
        used = _processor(service) - used
        findings += _findings(scenario, ended, watch)
        answers = ", ".join(f"{said}: {times}" for said, times in sorted(ended.answers.items()))
        table.add_row(
            scenario.name, str(scenario.clients), answers, f"{ended.longest:.1f}", f"{ended.sent / 1e6:.1f}",
            f"{used:.2f}", f"{watch.at(0.5):.0f}, {watch.at(0.99):.0f}",
        )  # fmt: skip
    kept = _megabytes(service) - before
    Console().print(table)
    Console().print(
        f"quiet: p50 {quiet.at(0.5):.0f} ms, p99 {quiet.at(0.99):.0f} ms; memory kept {kept:.1f} MB"
    )
    return findings + ([f"{kept:.1f} MB stay in memory"] if kept > _MOST_KEPT else [])


def _findings(scenario: Scenario, ended: Ended, watch: Watch) -> list[str]:
    strange = {said: times for said, times in ended.answers.items() if said not in scenario.ends}
    found = [f"{scenario.name}: {strange}"] if strange else []
    return found + [f"{scenario.name}: a caller was answered {said}" for said in watch.refused[:5]]


@asynccontextmanager
async def _asking(service: ServiceProcess) -> AsyncIterator[Watch]:
    """A caller who lists records all the while, on a connection of its own that was there before."""
    watch = Watch()
    headers = {"Authorization": f"Bearer {service.token}"}
    async with httpx2.AsyncClient(base_url=service.url, headers=headers, timeout=30) as http:
        await _ask(http, Watch())
        task = asyncio.ensure_future(_keep_asking(http, watch))
        try:
            yield watch
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


async def _keep_asking(http: httpx2.AsyncClient, watch: Watch) -> None:
    while True:
        await _ask(http, watch)
        await asyncio.sleep(0.05)


async def _ask(http: httpx2.AsyncClient, watch: Watch) -> None:
    began = time.monotonic()
    try:
        answer = await http.get("/logistics/airports/list")
        said = "" if answer.status_code == 200 else str(answer.status_code)
    except httpx2.TransportError as error:
        said = repr(error)
    watch.waits.append(time.monotonic() - began)
    if said:
        watch.refused.append(said)


def _megabytes(service: ServiceProcess) -> float:
    """What the one worker, which is the process itself, holds."""
    status = Path(f"/proc/{_pid(service)}/status").read_text()
    return next(int(line.split()[1]) / 1024 for line in status.splitlines() if line.startswith("VmRSS"))


def _processor(service: ServiceProcess) -> float:
    """Seconds of processor time so far."""
    fields = Path(f"/proc/{_pid(service)}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _pid(service: ServiceProcess) -> int:
    assert service.process is not None
    return service.process.pid


if __name__ == "__main__":
    run_harness(main)
