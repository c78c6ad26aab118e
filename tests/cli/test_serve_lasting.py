"""``recordsmith serve`` when something is killed under it, and when its code changes: it goes on."""

from __future__ import annotations

import os
import random
import shutil
import signal
from pathlib import Path
from typing import Any

import httpx2
import pytest

from runtime.cli.lock import hold_data_folder
from runtime.settings import Settings
from runtime.storage.embedded.folder import Folder
from tests.cli.asking import answers, get, may_listen
from tests.patience import wait_until

# Below those that systems give to outgoing connections: no stranger takes one between two starts.
PORTS = range(20_000, 32_000)


@pytest.fixture
def free_port() -> int:
    return next(port for port in random.sample(PORTS, 50) if may_listen(port))


def test_killed_service_leaves_port_and_data_to_the_next(serve: Any, free_port: int) -> None:
    service = serve("--demo", "--port", str(free_port))
    wait_until(lambda: answers(f"{service.url}/ready"))
    service.stop(signal.SIGKILL)
    wait_until(lambda: may_listen(free_port))
    again = serve("--demo", "--port", str(free_port))
    assert [user["password"] for user in again.facts["demoUsers"]] == [None, None]
    assert get(f"{again.url}/ready").status_code == 200
    assert again.stop() == 0


@pytest.mark.parametrize("words", [("--workers", "2"), ("--reload",)], ids=["workers", "reload"])
def test_workers_of_a_killed_service_leave_folder_and_port(
    serve: Any, data: Path, light: dict[str, str], free_port: int, words: tuple[str, ...]
) -> None:
    service = serve("--port", str(free_port), *words, env=light, spawn=True)
    wait_until(lambda: answers(f"{service.url}/pid"))
    maps = Path(f"/proc/{service.process.pid}/maps")
    assert not maps.exists() or "/dev/shm/sem." not in maps.read_text(), "a semaphore whose file would stay"
    service.stop(signal.SIGKILL)
    wait_until(lambda: may_listen(free_port))
    with hold_data_folder(Settings.read({}, data_folder=data), service.url):
        pass


def test_killed_mongod_comes_back_under_a_running_service(serve: Any, data: Path) -> None:
    service = serve()
    address = Folder(data).address()
    assert address
    os.kill(address.pid, signal.SIGKILL)
    wait_until(lambda: not answers(f"{service.url}/ready") or Folder(data).address() != address)
    assert answers(f"{service.url}/live")
    wait_until(lambda: answers(f"{service.url}/ready"))
    assert service.stop() == 0


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
from contextlib import asynccontextmanager
from importlib import import_module

from runtime.errors import Misconfigured
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route
from generated_greeting import GREETING

def __getattr__(name):
    return getattr(import_module("stand_in"), name)

@asynccontextmanager
async def open_service(app):
    require_sound("unexpressed")
    yield

def require_sound(fault):
    if GREETING == fault:
        raise Misconfigured(f"the greeting is {fault}")

def create():
    require_sound("unsound")
    return Starlette(lifespan=open_service, routes=[Route("/greeting", lambda request: JSONResponse(GREETING))])
"""


def test_reload_generates_and_replaces_the_code_but_never_stops_answering(
    serve: Any, data: Path, elsewhere: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Greetings in a row differ in length: Python takes a file of the same size and second for the one it compiled.
    (tmp_path / "specs").mkdir()
    spec = tmp_path / "specs" / "greeting.yaml"
    (tmp_path / "generator").mkdir()
    (tmp_path / "generator" / "__init__.py").touch()
    (tmp_path / "unused").mkdir()
    (tmp_path / "unused" / "__init__.py").touch()
    (tmp_path / "generator" / "__main__.py").write_text(GENERATOR)
    (tmp_path / "application.py").write_text(APPLICATION)
    (tmp_path / "generated_greeting.py").write_text("GREETING = 'one'\n")
    monkeypatch.setenv("RECORDSMITH_TEST_APP", "application:create")
    monkeypatch.setenv("RECORDSMITH_TEST_PATH", str(tmp_path))
    service = serve("--reload", cwd=tmp_path, env=elsewhere)
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
    spec.write_text("'three'")
    wait_until(lambda: sees("three"))
    said("specs/greeting.yaml:1:1: error: it is bad\nthe specifications have problems", "bad")
    assert sees("three")
    said("the new code does not start: the service goes on as it was", "no_such_name")
    assert sees("three")
    for fault in ("unsound", "unexpressed"):  # while the application is created, and while it is opened
        before = log.read_text()
        said("the new code does not start: the service goes on as it was", f"'{fault}'")
        text = log.read_text().removeprefix(before)
        assert f"error[service.misconfigured]: the greeting is {fault}\n" in text
        assert "Traceback" not in text
    assert sees("three")
    spec.write_text("'four'")
    wait_until(lambda: sees("four"))
    shutil.rmtree(spec.parent)
    spec.parent.mkdir()
    spec.write_text("'seven'")
    wait_until(lambda: sees("seven"))
    spec.write_text("'eleven'")
    wait_until(lambda: sees("eleven"))
    shutil.rmtree(tmp_path / "unused")
    spec.write_text("'six'")
    wait_until(lambda: sees("six"))
    assert len(failures) <= 5, "a connection may break in the moment of a take-over, no more"
    assert service.stop() == 0
