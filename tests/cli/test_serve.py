"""``recordsmith serve``: as processes, with the embedded MongoDB of a fresh data folder."""

from __future__ import annotations

import json
import os
import random
import re
import signal
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

from runtime.embedded.folder import Folder

# Below those that systems give to outgoing connections: no stranger takes one between two starts.
PORTS = range(20_000, 32_000)


def wait_until(condition: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


def get(url: str) -> httpx2.Response:
    return httpx2.get(url, timeout=30)


def may_listen(port: int) -> bool:
    try:
        with socket.create_server(("127.0.0.1", port)):
            return True
    except OSError:
        return False


def answers(url: str) -> bool:
    try:
        return get(url).status_code == 200
    except httpx2.TransportError:
        return False


def test_says_where_it_is_and_leaves_nothing_running(serve: Any, data: Path) -> None:
    service = serve()
    assert service.facts == {
        "url": service.url,
        "documentation": f"{service.url}/docs",
        "dataFolder": str(data),
        "pid": service.process.pid,
        "demoUsers": [],
    }
    assert get(f"{service.url}/ready").status_code == 200
    assert "server" not in get(f"{service.url}/live").headers
    assert json.loads((data / "service.json").read_text()) == {"pid": service.process.pid, "url": service.url}
    assert service.stop() == 0
    assert not Folder(data).is_served()
    assert not (data / "service.json").exists()


@pytest.mark.parametrize(
    ("number", "workers"),
    [
        pytest.param(signal.SIGTERM, "1", id="SIGTERM, one worker"),
        pytest.param(signal.SIGINT, "2", id="Ctrl-C, two workers"),
    ],
)
def test_requests_in_flight_are_finished_before_it_stops(
    serve: Any, data: Path, number: int, workers: str
) -> None:
    service = serve("--workers", workers)
    answer: list[httpx2.Response] = []
    caller = threading.Thread(target=lambda: answer.append(get(f"{service.url}/slow?seconds=1.5")))
    caller.start()
    log = data.parent / "serve.log"
    wait_until(lambda: log.read_text().count("Application startup complete") >= int(workers))
    time.sleep(0.3)  # the request is on its way: nothing to wait for tells that it was begun
    assert service.stop(number) == 0
    caller.join()
    assert answer[0].json() == "done"
    assert not Folder(data).is_served()


def test_logs_are_json_lines_and_a_request_is_one_of_them(serve: Any, data: Path) -> None:
    service = serve()
    httpx2.get(f"{service.url}/live?token=hush", headers={"X-Request-Id": "req-7"})
    service.stop()
    text = (data.parent / "serve.log").read_text()
    lines = [json.loads(line) for line in text.splitlines()]
    (request,) = [line for line in lines if line["event"] == "request"]
    assert (request["path"], request["status"], request["request_id"]) == ("/live", 200, "req-7")
    assert "hush" not in text


def test_several_workers_answer_and_a_killed_one_is_replaced(serve: Any) -> None:
    service = serve("--workers", "2")

    def workers() -> set[int]:
        pids: set[int] = set()

        def both_answered() -> bool:
            if answers(f"{service.url}/pid"):
                pids.add(get(f"{service.url}/pid").json())
            return len(pids) == 2

        wait_until(both_answered)
        return pids

    victim, survivor = workers()
    os.kill(victim, signal.SIGKILL)
    log = Path(service.facts["dataFolder"]).with_name("serve.log")
    wait_until(lambda: f"Child process [{victim}] died" in log.read_text())
    now = workers()
    assert survivor in now
    assert victim not in now
    assert service.stop() == 0


def test_second_service_on_the_folder_is_refused_and_told_who_has_it(
    serve: Any, run: Any, data: Path
) -> None:
    service = serve()
    second = run("serve", "--port", "0")
    assert (second.returncode, second.stdout) == (3, "")
    holder = f"a service (process {service.process.pid}, {service.url})"
    assert second.stderr.startswith(f"error[service.running]: {holder} already uses the data folder")
    assert get(f"{service.url}/ready").status_code == 200
    service.stop()
    assert serve().stop() == 0


def test_taken_port_is_named(run: Any, data: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        done = run("serve", "--port", str(port))
    assert done.returncode == 1
    assert f"error[service.port]: cannot listen on 127.0.0.1 port {port}" in done.stderr
    assert "choose another with --port" in done.stderr
    assert not Folder(data).is_served()


def test_folder_that_cannot_be_written_is_named(run: Any, data: Path) -> None:
    data.touch()
    done = run("serve", "--port", "0")
    assert done.returncode == 1
    assert "error[service.misconfigured]: the data folder" in done.stderr
    data.unlink()


def test_demo_users_get_their_passwords_once(serve: Any, run: Any) -> None:
    service = serve("--demo")
    users = service.facts["demoUsers"]
    assert [(user["userId"], user["tenantId"]) for user in users] == [
        ("admin@acme.example", "acme"),
        ("admin@globex.example", "globex"),
    ]
    assert all(re.fullmatch(r"[\w-]{16}", user["password"]) for user in users)
    assert users[0]["password"] != users[1]["password"]
    listed = json.loads(run("users", "list", "--json").stdout)
    assert [(user["orgRefName"], user["roles"]) for user in listed] == [("headquarters", ["admin"])] * 2
    service.stop()
    assert [user["password"] for user in serve("--demo").facts["demoUsers"]] == [None, None]


def test_commands_reach_the_store_of_a_running_service(serve: Any, run: Any, data: Path) -> None:
    service = serve()
    before = Folder(data).address()
    words = ("--user", "ann", "--tenant", "acme", "--roles", "user", "--password-stdin")
    assert run("users", "create", *words, stdin="correct horse battery").returncode == 0
    assert Folder(data).address() == before
    assert get(f"{service.url}/ready").status_code == 200
    service.stop()
    assert not Folder(data).is_served()
    assert json.loads(run("users", "list", "--json").stdout)[0]["userId"] == "ann"
    assert not Folder(data).is_served()


@pytest.mark.parametrize("words", [("--workers", "2"), ("--reload",), ()], ids=["workers", "reload", "alone"])
def test_killed_service_leaves_port_and_data_to_the_next(serve: Any, words: tuple[str, ...]) -> None:
    port = next(port for port in random.sample(PORTS, 50) if may_listen(port))
    service = serve("--demo", "--port", str(port), *words)
    wait_until(lambda: answers(f"{service.url}/ready"))
    service.stop(signal.SIGKILL)
    wait_until(lambda: may_listen(port))
    again = serve("--demo", "--port", str(port))
    assert [user["password"] for user in again.facts["demoUsers"]] == [None, None]
    assert get(f"{again.url}/ready").status_code == 200
    assert again.stop() == 0


def test_killed_mongod_comes_back_under_a_running_service(serve: Any, data: Path) -> None:
    service = serve()
    address = Folder(data).address()
    assert address
    os.kill(address.pid, signal.SIGKILL)
    wait_until(lambda: not answers(f"{service.url}/ready") or Folder(data).address() != address)
    assert answers(f"{service.url}/live")
    wait_until(lambda: answers(f"{service.url}/ready"))
    assert service.stop() == 0


def test_application_that_does_not_open_is_explained_before_anything_listens(
    run: Any, data: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AUTH_JWT_PRIVATEKEY_LOCATION", "/no/such/key.pem")
    monkeypatch.setenv("SERVICE_ENVIRONMENT", "production")
    done = run("serve", "--port", "0")
    assert (done.returncode, done.stdout) == (1, "")
    assert "error[service.misconfigured]: no private key at /no/such/key.pem" in done.stderr
    assert not Folder(data).is_served()


GENERATOR = """
import sys
from pathlib import Path

def commands(words):
    assert words == ["generate"]
    text = Path("specs/greeting.yaml").read_text()
    if text == "bad":
        sys.exit("specs/greeting.yaml:1:1: error: it is bad")
    Path("generated_greeting.py").write_text(f"GREETING = {text}\\n")
"""
APPLICATION = """
from fastapi import APIRouter
import stand_in
from generated_greeting import GREETING
from stand_in import CATALOG, RULES, SEEDS, SUBJECTS, SYSTEM

router = APIRouter()

@router.get("/greeting")
async def greeting() -> str:
    return GREETING

def create():
    app = stand_in.create()
    app.include_router(router)
    return app
"""


def test_reload_generates_and_replaces_the_code_but_never_stops_answering(
    serve: Any, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "specs").mkdir()
    spec = tmp_path / "specs" / "greeting.yaml"
    (tmp_path / "generator").mkdir()
    (tmp_path / "generator" / "__init__.py").touch()
    (tmp_path / "generator" / "__main__.py").write_text(GENERATOR)
    (tmp_path / "application.py").write_text(APPLICATION)
    (tmp_path / "generated_greeting.py").write_text("GREETING = 'one'\n")
    monkeypatch.setenv("RECORDSMITH_TEST_APP", "application:create")
    monkeypatch.setenv("RECORDSMITH_TEST_PATH", str(tmp_path))
    service = serve("--reload", cwd=tmp_path)
    log = data.parent / "serve.log"
    failures: list[Exception] = []

    def sees(text: str) -> bool:
        try:
            return bool(get(f"{service.url}/greeting").json() == text)
        except httpx2.TransportError as error:
            failures.append(error)
            return False

    def said(complaint: str, text: str) -> None:
        before = log.read_text()
        spec.write_text(text)
        wait_until(lambda: complaint in log.read_text().removeprefix(before))

    assert sees("one")
    spec.write_text("'two'")
    wait_until(lambda: sees("two"))
    said("specs/greeting.yaml:1:1: error: it is bad\nthe specifications have problems", "bad")
    assert sees("two")
    said("the new code does not start: the service goes on as it was", "no_such_name")
    assert sees("two")
    spec.write_text("'three'")
    wait_until(lambda: sees("three"))
    assert len(failures) <= 2, "a connection may break in the moment of a take-over, no more"
    assert service.stop() == 0
    assert not Folder(data).is_served()


def test_reload_runs_one_worker(run: Any) -> None:
    done = run("serve", "--reload", "--workers", "2")
    assert done.returncode == 2
    assert "--reload runs one worker" in done.stderr
