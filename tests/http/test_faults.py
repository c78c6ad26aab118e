"""MongoDB goes away in mid-request: 503 in time, never 500, and back without a restart."""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from pymongo import MongoClient

from runtime.http import probe
from tests.http.world import NOWHERE, PASSWORD, Document, World, open_world
from tests.patience import wait_until
from tests.scenario import check_problem
from tests.stoppable import StoppableServer, stoppable_server

# The driver leaves the sockets of broken connections to the garbage collector, which complains.
pytestmark = [
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
    pytest.mark.skipif(sys.platform == "win32", reason="processes cannot be frozen there"),
]

DEADLINE = 0.6
"""Seconds a store command may take; a request has a few of them."""
PATIENCE = 4 * DEADLINE + 2
"""Seconds until a refusal, on a busy machine."""

LIST = "GET /logistics/carriers/list"
SAVE = "POST /logistics/carriers"
LINE = {"name": "Atlantic Air Cargo", "mode": "AIR"}

REQUESTS: dict[str, tuple[str, Any]] = {
    "list": (LIST, None),
    "count": ("GET /logistics/carriers/count", None),
    "get": (f"GET /logistics/carriers/id/{NOWHERE}", None),
    "insert": (SAVE, LINE),
    "replace": (SAVE, LINE | {"id": NOWHERE}),
    "bulk": ("POST /logistics/carriers/bulk", {"operations": [{"op": "save", "record": LINE}] * 3}),
    "delete": (f"DELETE /logistics/carriers/id/{NOWHERE}", None),
    "login": ("POST /security/login", {"userId": "admin@acme.example", "password": PASSWORD}),
    "ready": ("GET /ready", None),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoppableServer]:
    with stoppable_server(tmp_path_factory.mktemp("faults")) as running:
        yield running


@pytest.fixture(scope="module")
def world(server: StoppableServer, key_folder: Path) -> Iterator[World]:
    """The service over a MongoDB that the tests break; it is started once and lives through all of it."""
    uri = server.address.uri
    # Credentials are believed for a while, so that the fault meets the command of the route itself.
    values = {"mongodb_timeout_ms": int(DEADLINE * 1000), "credential_cache_seconds": 10}
    with (
        MongoClient[Document](uri) as client,
        open_world(uri, client, data_folder=key_folder, **values) as opened,
    ):
        yield opened


@pytest.fixture(autouse=True)
def asked_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let ``/ready`` look each time: what it said before MongoDB went would last for a second."""
    monkeypatch.setattr(probe, "SECONDS", 0.0)


@contextmanager
def frozen(server: StoppableServer) -> Iterator[None]:
    server.freeze()
    try:
        yield
    finally:
        server.thaw()


@contextmanager
def stopped(server: StoppableServer) -> Iterator[None]:
    server.stop()
    try:
        yield
    finally:
        server.start()


def refused_in_time(world: World, request: str, body: Any) -> httpx2.Response:
    began = time.monotonic()
    answer = world.ask(request, json=body)
    assert time.monotonic() - began < PATIENCE
    assert answer.status_code == 503, answer.text
    return answer


def works_again(world: World) -> bool:
    """Within ten seconds, without anybody doing anything."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        if world.ask(SAVE, json=LINE).status_code == 201:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("away", [frozen, stopped], ids=["frozen", "stopped"])
def test_every_route_is_503_in_time_and_comes_back(
    world: World, server: StoppableServer, away: Callable[[StoppableServer], Any]
) -> None:
    assert world.ask(LIST).status_code == 200  # so that connections are open
    with away(server), ThreadPoolExecutor(len(REQUESTS)) as pool:
        asked = [pool.submit(refused_in_time, world, *request) for request in REQUESTS.values()]
        answers = [future.result() for future in asked]
        live = world.ask("GET /live", None)
    assert live.status_code == 200
    for answer in answers:
        check_problem(503, answer.headers, answer.json())
        assert answer.json()["code"] == "store.unavailable"
        assert answer.headers["Retry-After"] == "1"
        for inside in ("127.0.0.1", str(server.address.port), "pymongo", "Traceback"):
            assert inside not in answer.text
    assert works_again(world)
    assert world.ask("GET /ready", None).json()["status"] == "ready"


def test_killed_under_load_no_answer_is_500_and_nothing_acknowledged_is_lost(
    world: World, server: StoppableServer
) -> None:
    """Callers save and read without a pause while MongoDB is killed and started again."""
    over = threading.Event()
    statuses: Counter[int] = Counter()
    acknowledged: list[str] = []

    def caller(number: int) -> None:
        while not over.is_set():
            answer = world.ask(LIST) if number % 2 else world.ask(SAVE, json=LINE)
            statuses[answer.status_code] += 1
            if answer.status_code == 201:
                acknowledged.append(answer.json()["id"])

    with ThreadPoolExecutor(6) as pool:
        callers = [pool.submit(caller, number) for number in range(6)]
        try:
            wait_until(lambda: len(acknowledged) > 20)
            server.kill()
            wait_until(lambda: statuses[503] > 6)
            server.start()
            came_back = len(acknowledged)
            wait_until(lambda: len(acknowledged) > came_back + 20)
        finally:
            over.set()
        for done in callers:
            done.result()
    assert statuses.keys() == {200, 201, 503}
    for record_id in acknowledged:
        assert world.ask(f"GET /logistics/carriers/id/{record_id}").status_code == 200
