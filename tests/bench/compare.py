"""This service beside its peers: one MongoDB, one machine, one run, in turns. See README.md.

``python tests/bench/compare.py [--quick] [--json FILE]``; ``BENCH_RECORDS`` scales the data down.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import transfers
from contestants import (
    HERE,
    OPERATIONS,
    SERVICE,
    THEIRS,
    Contestant,
    Server,
    World,
    contestants,
    service_environment,
    why_no_fastify,
)
from corpus import FILES, TENANTS, Corpus, tenant
from micro import measure_parts
from plan import Plan, arguments
from processes import BenchFailed, cpu_seconds, free_port, memory_mb, running
from pymongo import MongoClient
from report import Results, Slice, show
from rich.console import Console

from generated.app import CATALOG
from runtime.app import open_service
from runtime.identity.users.users import NewUser, create_user
from runtime.settings import Settings
from runtime.storage.embedded import run_embedded

PASSWORD = "a long enough password for a bench"
CONNECTIONS = 32
LAST_PAGE = 1000
REST = 10.0
"""Seconds before memory is read: a server has the time to give back what it does not need."""

console = Console(width=140)


def main() -> int:
    """Everything; 1 when some figure does not count."""
    options = arguments(__doc__ or "")
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupted)
    try:
        results = run(options.plan)
    except KeyboardInterrupt:
        console.print("stopped; nothing is left running")
        return 130
    except BenchFailed as error:
        console.print(str(error), markup=False)
        return 1
    show(results, console)
    if results.files is not None:
        transfers.show(results.files, SERVICE, console)
    if options.json:
        options.json.write_text(json.dumps(results.as_json(), indent=1) + "\n")
    return 1 if results.faults() else 0


def _interrupted(_number: int, _frame: Any) -> None:
    """End in good order, once: an impatient second Ctrl-C must not keep servers from being stopped."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    raise KeyboardInterrupt


def run(plan: Plan) -> Results:
    """Set up once, then measure for each number of workers."""
    results = Results()
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="recordsmith-bench-")))
        uri = stack.enter_context(run_embedded(folder))
        client = stack.enter_context(MongoClient[dict[str, Any]](uri))
        records = plan.records if plan.has_requests else TENANTS
        corpus = Corpus(records, plan.files["exported"] if plan.has_files else 0)
        with console.status(f"loading {records:,} shipments of {TENANTS} tenants"):
            settings = Settings.read(service_environment(uri), data_folder=folder)
            asyncio.run(_make_users(settings))
            least, most = corpus.load(client)
        results.notes.append(f"{records:,} shipments of {least} to {most} bytes, {TENANTS} tenants")
        store = int(client.admin.command("serverStatus")["pid"])
        everybody = contestants(uri, folder)
        if reason := why_no_fastify():
            results.notes.append(f"fastify: left out, {reason}")
        if plan.has_files:
            results.files = _files(plan, everybody, folder, store)
        world: World | None = None
        for workers in plan.workers if plan.has_requests else ():
            with ExitStack() as serving:
                ours = serving.enter_context(_server(everybody[0], workers, folder))
                world = world or _world(ours, corpus, results)
                peers = [serving.enter_context(_server(peer, workers, folder)) for peer in everybody[1:]]
                _measure(plan, [ours, *peers], workers, world, store, results)
        results.notes += measure_parts(settings)
    return results


def _files(plan: Plan, everybody: list[Contestant], folder: Path, store: int) -> transfers.Transfers:
    """With servers that have done nothing else, whose memory so far is that of the start."""
    with ExitStack() as serving:
        servers = [
            serving.enter_context(_server(one, 1, folder))
            for one in everybody
            if one.name in transfers.CONTESTANTS
        ]
        token = _token(servers[0], FILES)
        rounds = min(plan.rounds, transfers.MOST_ROUNDS)
        return transfers.measure(servers, token, store, plan.files, plan.operations, rounds, console.status)


async def _make_users(settings: Settings) -> None:
    """One user a tenant, with the role ``user``; this makes keys and indexes too."""
    async with open_service(CATALOG, settings) as service:
        for name in (*map(tenant, range(TENANTS)), FILES):
            await create_user(service, NewUser(name, PASSWORD, name, frozenset({"user"})))


@contextmanager
def _server(contestant: Contestant, workers: int, folder: Path) -> Iterator[Server]:
    port = free_port()
    log = folder / f"{contestant.name}.log"
    command = contestant.command(port, workers)
    with running(contestant.name, command, contestant.environment, port, log) as pid:
        yield Server(contestant, port, pid)


def _world(ours: Server, corpus: Corpus, results: Results) -> World:
    """Tokens from the service's own login; the peers check the same tokens with its public key."""
    tokens = {name: _token(ours, name) for name in map(tenant, range(TENANTS))}
    world = World(corpus, tokens, page_size=max(1, corpus.per_tenant * 2 // 5 // LAST_PAGE))
    cursor = _last_cursor(ours, world)
    if cursor is None:
        results.notes.append("page 1 against page 1,000: skipped, the list offers no cursor (nextCursor)")
    return replace(world, cursor=cursor)


def _token(ours: Server, name: str) -> str:
    login = {"userId": name, "password": PASSWORD}
    return str(_asked(ours, "/security/login", body=login)["accessToken"])


def _last_cursor(ours: Server, world: World) -> str | None:
    """The cursor of page 1,000, or of the last page when there are fewer."""
    token = next(iter(world.tokens.values()))
    path = f"/logistics/shipments/list?filter=status:DELIVERED&sort=-departsAt&limit={world.page_size}"
    pages = min(LAST_PAGE, world.corpus.per_tenant * 2 // 5 // world.page_size) - 1
    cursor: str | None = None
    for _page in range(pages):
        after = f"&cursor={cursor}" if cursor else ""
        following = _asked(ours, path + after, token).get("nextCursor")
        if following is None:
            return cursor
        cursor = following
    return cursor


def _asked(server: Server, path: str, token: str = "", body: Any = None) -> Any:
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})
    data = json.dumps(body).encode() if body is not None else None
    asked = urllib.request.Request(f"http://127.0.0.1:{server.port}{path}", data, headers)
    with urllib.request.urlopen(asked, timeout=30) as answer:
        return json.load(answer)


def _measure(
    plan: Plan, servers: list[Server], workers: int, world: World, store: int, results: Results
) -> None:
    """The rounds: every operation, every contestant in turn."""
    turns = [
        (operation, server)
        for operation in OPERATIONS
        for server in servers
        if operation in server.contestant.operations
        and (world.cursor or not operation.startswith("page"))
        and _wanted(plan, operation, server.contestant.name)
    ]
    for number in range(plan.rounds + 1):
        seconds = plan.seconds if number else plan.warm_up
        said = f"round {number} of {plan.rounds}" if number else "warming up"
        slices = []
        for operation, server in turns:
            with console.status(f"{workers} × {said}: {operation}, {server.contestant.name}"):
                slices.append(_slice(operation, server, workers, world, store, seconds))
        if number:
            results.rounds.append(slices)
    time.sleep(REST)
    for server in servers:
        results.memory[f"{server.contestant.name} × {workers}"] = memory_mb(server.pid)


def _wanted(plan: Plan, operation: str, name: str) -> bool:
    asked_operations, asked_names = plan.only & OPERATIONS.keys(), plan.only - OPERATIONS.keys()
    return (not asked_operations or operation in asked_operations) and (
        not asked_names or name in asked_names | {SERVICE}
    )


def _slice(operation: str, server: Server, workers: int, world: World, store: int, seconds: float) -> Slice:
    requests = server.contestant.requests(operation, world)
    job = {"port": server.port, "requests": requests, "connections": CONNECTIONS, "seconds": seconds}
    before, store_before = cpu_seconds(server.pid), cpu_seconds(store)
    done = subprocess.run(
        [sys.executable, str(HERE / "load.py")],
        input=json.dumps(job).encode(),
        capture_output=True,
        timeout=seconds + 60,
    )
    if done.returncode:
        raise BenchFailed(f"{server.contestant.name}, {operation}: {done.stderr.decode()[-2000:]}")
    outcome = json.loads(done.stdout)
    answers = max(1, outcome["answers"])

    def each(pid: int, earlier: float | None) -> float | None:
        now = cpu_seconds(pid)
        return None if now is None or earlier is None else (now - earlier) / answers * 1000

    return Slice(
        operation,
        server.contestant.name,
        workers,
        rate=outcome["answers"] / outcome["seconds"],
        cpu=each(server.pid, before),
        store_cpu=each(store, store_before),
        bad=outcome["bad"],
        first_bad=outcome["first_bad"],
    )


if __name__ == "__main__":
    if not THEIRS.exists():
        sys.exit("the peers' virtual environment is not there: run `make bench`")
    os.chdir(HERE.parents[1])
    sys.exit(main())
