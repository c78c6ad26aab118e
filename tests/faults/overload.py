"""``make faults``: more is asked than can be done. Exit code 1 when a promise broke.

``python tests/faults/overload.py [--records N] [--clients N] [--logins N] [--exports N] [lists] [logins] [exports]``
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2
from bson import ObjectId
from pymongo import MongoClient
from rich.console import Console
from rich.table import Table

from runtime.storage.embedded import run_embedded
from tests.faults.ending import run_harness
from tests.faults.pressure import Caller, Load, put_under_load, watching
from tests.faults.service import REALM, ServiceProcess, served
from tests.http.test_csv_memory import kilobytes, tree

PRODUCTS = "/logistics/products"
SLOW_LIST = f"GET {PRODUCTS}/list?filter={quote('details:*never*there*')}&limit=10"
"""Looks at every record."""

QUICK_LIST = f"GET {PRODUCTS}/list?limit=1"
EXPORT = f"{PRODUCTS}/csv?requestedColumns=refName,sku,name,details&length=-1"
PROBES = ("GET /live", "GET /ready")

GOODPUT = 0.8
SLOWER = 3.0
READERS = 4
READER_PAUSE_SECONDS = 0.01
QUIET_SECONDS = 10.0
LEAST_READS = 500
"""Below, a 99th percentile is hardly more than the worst case."""

LONGEST_REFUSAL_SECONDS = 5.0
KB_PER_STREAM = 256
SHARED_KB = 32 * 1024
PAUSE_SECONDS = 60.0
"""Of a reader that stops: twice the half minute after which it is cut off, which begins once its buffers are full."""

LAST_CHUNK = b"0\r\n\r\n"
OTHER = {"userId": "other@acme.example", "password": "a password of another user"}


@dataclass
class Run:
    """One service under test, and what was found."""

    service: ServiceProcess
    options: argparse.Namespace
    other: str
    """The token of another user than that of the service."""

    findings: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)

    @property
    def port(self) -> int:
        return self.service.port

    def check(self, is_kept: bool, promise: str) -> None:
        """Note a promise that broke."""
        if not is_kept:
            self.findings.append(promise)

    def memory(self) -> float:
        """KB that the largest process of the service holds."""
        assert self.service.process is not None
        return max(kilobytes(one, "VmRSS") for one in tree(self.service.process.pid))


def main() -> int:
    """Run what was asked for, and say whether all was kept."""
    options = _options()
    out = Console(width=110)
    findings: list[str] = []
    for name in options.scenarios or SCENARIOS:
        scenario, settings = SCENARIOS[name]
        with (
            tempfile.TemporaryDirectory(prefix="recordsmith-overload-") as folder,
            run_embedded(Path(folder) / "mongodb") as uri,
            served(uri, Path(folder) / "service", 1, **settings) as service,
        ):
            _fill(uri, service, options.records)
            run = Run(service, options, _sign_in_another(service))
            asyncio.run(scenario(run))
        for table in run.tables:
            out.print(table)
        findings += run.findings
    for finding in findings:
        out.print(f"BROKEN  {finding}", markup=False)
    out.print(f"{len(findings)} promises broken")
    return 1 if findings else 0


async def too_many_lists(run: Run) -> None:
    """Fifty times the callers that the store can serve, polite ones and others."""
    table = Table(
        "callers", "served/s", "refused/s", "median, s", "99 %, s", "/live, s", "/ready, s", title="lists"
    )
    best = 0.0
    for callers, is_polite in (
        (1, True),
        (2, True),
        (4, True),
        (run.options.clients, True),
        (run.options.clients, False),
    ):
        async with watching(run.port, run.service.token, *PROBES) as probes:
            load = await put_under_load(
                run.port, run.service.token, SLOW_LIST, callers, run.options.seconds, is_polite=is_polite
            )
        _check_answers(run, load, f"lists of {callers}")
        worst = [max(probes[one].waits, default=0.0) for one in PROBES]
        for probe in PROBES:
            run.check(
                set(probes[probe].statuses) <= {200}, f"{probe} was answered {dict(probes[probe].statuses)}"
            )
        if callers < run.options.clients:
            best = max(best, load.rate)
        else:
            kind = "polite" if is_polite else "impatient"
            run.check(
                load.rate >= GOODPUT * best,
                f"{callers} {kind} callers: {load.rate:.1f}/s, {best:.1f}/s at best",
            )
        refused = load.statuses[503] / load.seconds
        cells = (load.rate, refused, load.percentile(0.5), load.percentile(0.99), *worst)
        name = f"{callers}" if is_polite else f"{callers}, who ask again at once"
        table.add_row(name, *(f"{one:.2f}" for one in cells))
    run.tables.append(table)


async def too_many_logins(run: Run) -> None:
    """Storms of logins, one after the other, half of them by users that do not exist; reads go on.

    The logins come from a process of their own, so that reads do not wait for the callers instead of the
    service.
    """
    quiet = await _read_quietly(run)
    loop = asyncio.get_running_loop()
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        await loop.run_in_executor(pool, int)  # starts it
        async with _reading(run) as reads:
            storms = [
                await loop.run_in_executor(pool, storm_logins, run.port, run.service.user, run.options.logins)
                for _storm in range(run.options.storms)
            ]
    title = f"{len(storms)} storms of {run.options.logins} logins at once, {reads[QUICK_LIST].seconds:.1f} s"
    table = Table("logins", "answers", "served within, s", "refused within, s", title=title)
    for name in storms[0]:
        answers, served, refused = Counter[int](), 0.0, 0.0
        for storm in storms:
            load, refusals = storm[name]
            answers += load.statuses
            served, refused = max(served, *load.waits, 0.0), max(refused, *refusals, 0.0)
            run.check(not load.unclear, f"logins: {load.unclear} refusals without Retry-After")
        table.add_row(name, str(dict(answers)), f"{served:.2f}", f"{refused:.2f}")
        run.check(refused <= LONGEST_REFUSAL_SECONDS, f"a login waited for {refused:.1f} s to be refused")
        run.check(set(answers) <= {200, 401, 429, 503}, f"logins were answered {dict(answers)}")
    run.tables.append(table)
    run.tables.append(_of_reads(run, quiet, reads[QUICK_LIST], "logins"))


async def slow_exports(run: Run) -> None:
    """Hundreds of readers that stop; what they hold, and that they are cut off."""
    quiet = await _read_quietly(run)
    before, most = run.memory(), 0.0
    async with _reading(run) as reads:
        began = time.monotonic()
        readers = [asyncio.create_task(_read_a_little(run)) for _reader in range(run.options.exports)]
        while not all(reader.done() for reader in readers) and time.monotonic() < began + 2 * PAUSE_SECONDS:
            most = max(most, run.memory() - before)
            await asyncio.sleep(0.2)
        seconds = time.monotonic() - began
        readers = [reader for reader in readers if not (reader.done() and reader.result() == "refused")]
        ends = [reader.result() if reader.done() else "still open" for reader in readers]
        for reader in readers:
            reader.cancel()
    held = most / max(1, len(readers))
    table = Table("exports", "held by each, KB", "all, MB", "cut after, s", title="readers that stop")
    table.add_row(str(len(readers)), f"{held:.0f}", f"{most / 1024:.0f}", f"{seconds:.0f}")
    run.tables.append(table)
    allowed = KB_PER_STREAM * len(readers) + SHARED_KB
    run.check(
        most <= allowed,
        f"{len(readers)} readers held {most / 1024:.0f} MB, {allowed / 1024:.0f} allowed",
    )
    run.check(set(ends) == {"cut off"}, f"slow readers ended as {sorted(set(ends))}")
    run.check('"slow reader"' in run.service.log, "the log does not tell of slow readers")
    run.tables.append(_of_reads(run, quiet, reads[QUICK_LIST], "exports"))


def storm_logins(port: int, user: str, number: int) -> dict[str, tuple[Load, list[float]]]:
    """Log in so many times at once, every other time as nobody; return what was answered, and how long each
    refusal took."""
    os.nice(max(0, 10 - os.nice(0)))  # real callers take nothing from the processors of the service
    storm: dict[str, tuple[Load, list[float]]] = {name: (Load(), []) for name in ("known", "unknown")}

    async def log_in(name: str) -> None:
        user_id = user if name == "known" else "nobody@acme.example"
        body = json.dumps({"userId": user_id, "password": "a wrong password"}).encode()
        caller, began = Caller(port, "none"), time.monotonic()
        status, head = await caller.ask("POST /security/login", body)
        caller.close()
        load, refusals = storm[name]
        load.statuses[status] += 1
        load.unclear += status == 503 and b"retry-after: " not in head
        (refusals if status == 503 else load.waits).append(time.monotonic() - began)

    async def all_at_once() -> None:
        await asyncio.gather(*(log_in("known" if at % 2 else "unknown") for at in range(number)))

    asyncio.run(all_at_once())
    return storm


def _reading(run: Run) -> AbstractAsyncContextManager[dict[str, Load]]:
    """The same readers, whatever else goes on; of another user, as users take turns."""
    return watching(run.port, run.other, QUICK_LIST, callers=READERS, pause=READER_PAUSE_SECONDS)


def _sign_in_another(service: ServiceProcess) -> str:
    headers = {"Authorization": f"Bearer {service.token}"}
    with httpx2.Client(base_url=service.url, timeout=60) as client:
        client.post("/security/users", json=OTHER | {"roles": ["user"]}, headers=headers).raise_for_status()
        found: str = client.post("/security/login", json=OTHER).raise_for_status().json()["accessToken"]
    return found


async def _read_quietly(run: Run) -> Load:
    """Read while nothing else is asked; the first second warms the service up."""
    async with _reading(run):
        await asyncio.sleep(1.0)
    async with _reading(run) as reads:
        await asyncio.sleep(QUIET_SECONDS)
    return reads[QUICK_LIST]


async def _read_a_little(run: Run) -> str:
    """Some quickly, then nothing; the rest when the service must have given up."""
    caller = Caller(run.port, run.service.token)
    reader = await caller.open_slowly(EXPORT)
    try:
        if b" 200 " not in await reader.readline():
            return "refused"
        await reader.readexactly(2**18)
        await asyncio.sleep(PAUSE_SECONDS)
        last = b""
        while not last.endswith(LAST_CHUNK) and (more := await reader.read(2**16)):
            last = (last + more)[-8:]
        return "complete" if last.endswith(LAST_CHUNK) else "cut off"
    except (ConnectionResetError, asyncio.IncompleteReadError):
        return "cut off"
    finally:
        caller.close()


def _check_answers(run: Run, load: Load, what: str) -> None:
    run.check(set(load.statuses) <= {200, 503}, f"{what}: answered {dict(load.statuses)}")
    run.check(not load.unclear, f"{what}: {load.unclear} refusals without Retry-After")
    run.check(load.statuses[200] > 0, f"{what}: nobody was served")


def _of_reads(run: Run, quiet: Load, loud: Load, beside: str) -> Table:
    table = Table("reads", "number", "median, ms", "99 %, ms", title=f"reads beside {beside}")
    for name, load in (("quiet", quiet), (f"beside {beside}", loud)):
        table.add_row(
            name,
            str(load.statuses[200]),
            f"{load.percentile(0.5) * 1000:.1f}",
            f"{load.percentile(0.99) * 1000:.1f}",
        )
    for load in (quiet, loud):
        run.check(len(load.waits) >= LEAST_READS, f"only {len(load.waits)} reads were measured")
    ratio = loud.percentile(0.99) / max(quiet.percentile(0.99), 0.001)
    run.check(ratio <= SLOWER, f"reads beside {beside} take {ratio:.1f} times as long (99 %)")
    run.check(set(loud.statuses) <= {200, 503}, f"reads beside {beside} were answered {dict(loud.statuses)}")
    return table


def _fill(uri: str, service: ServiceProcess, number: int) -> None:
    """Copies of one product."""
    body = {"sku": "TULIP-1", "name": "Ten red tulips", "price": "12.90", "details": "tulips, " * 100}
    headers = {"Authorization": f"Bearer {service.token}"}
    made = (
        httpx2.post(f"{service.url}{PRODUCTS}", json=body, headers=headers, timeout=60)
        .raise_for_status()
        .json()
    )
    with MongoClient[dict[str, Any]](uri) as client:
        products = client[REALM]["products"]
        one = products.find_one({"_id": ObjectId(made["id"])})
        assert one is not None
        for start in range(0, number, 10_000):
            products.insert_many(
                {**one, "_id": ObjectId(), "refName": f"copy-{at}", "sku": f"COPY-{at}"}
                for at in range(start, min(number, start + 10_000))
            )


Scenario = Callable[[Run], Coroutine[Any, Any, None]]
SCENARIOS: dict[str, tuple[Scenario, dict[str, str]]] = {
    "lists": (too_many_lists, {}),
    "logins": (too_many_logins, {"AUTH_BCRYPT_COST": "12", "AUTH_LOGIN_FAILURES": "100000"}),
    "exports": (
        slow_exports,
        {"LIMITS_TRANSFERS": "1000", "LIMITS_TRANSFERS_PER_USER": "1000", "LOG_LEVEL": "WARNING"},
    ),
}


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("scenarios", nargs="*", choices=[[], *SCENARIOS], help="all unless named")
    parser.add_argument("--records", type=int, default=60_000, help="that each list looks at")
    parser.add_argument("--clients", type=int, default=200, help="of lists, at the most")
    parser.add_argument("--seconds", type=float, default=10.0, help="that each number of them asks")
    parser.add_argument("--logins", type=int, default=300)
    parser.add_argument("--storms", type=int, default=6, help="of logins, one after the other")
    parser.add_argument("--exports", type=int, default=300)
    return parser.parse_args()


if __name__ == "__main__":
    run_harness(main)
