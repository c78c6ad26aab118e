"""``recordsmith tasks watch`` against the whole service: it counts, connects again, and ends with the group."""

from __future__ import annotations

import io
import json
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx2
import pytest
from pymongo import MongoClient
from rich.console import Console
from typer.testing import CliRunner, Result

from runtime.cli import task_watch
from runtime.cli.commands import app
from tests.cli.real_service import USER, RealService, real_service
from tests.patience import wait_until

GROUPS, TASKS = "/integration/completionTaskGroup", "/integration/completionTask"


@pytest.fixture(scope="module")
def service(
    mongo_uri: str, mongo_client: MongoClient[dict[str, Any]], key_folder: Path
) -> Iterator[RealService]:
    with real_service(mongo_uri, mongo_client, key_folder) as running:
        yield running


class Job:
    """A group, and the application that works on its tasks."""

    def __init__(self, service: RealService, number: int) -> None:
        self.service = service
        body = {"userId": USER.user_id, "password": USER.password}
        token = httpx2.post(f"{service.url}/security/login", json=body, timeout=60).json()["accessToken"]
        self.http = httpx2.Client(
            base_url=service.url, headers={"Authorization": f"Bearer {token}"}, timeout=60
        )
        self.group = self.ask("POST", f"{GROUPS}/create", json={})["id"]
        self.tasks = [self.ask("POST", f"{TASKS}/create/{self.group}", json={})["id"] for _ in range(number)]

    def ask(self, method: str, path: str, **options: Any) -> Any:
        answer = self.http.request(method, path, **options)
        assert answer.is_success, answer.text
        return answer.json()

    def complete(self, number: int, status: str = "SUCCESS") -> None:
        self.ask("PUT", f"{TASKS}/complete/{self.tasks[number]}", params={"status": status})

    def finish(self) -> None:
        headers = {"Content-Type": "application/merge-patch+json"}
        self.ask("PATCH", f"{GROUPS}/id/{self.group}", content=b'{"status":"COMPLETE"}', headers=headers)

    @property
    def watchers(self) -> int:
        found: int = self.service.app.state.service.hub.listeners
        return found


def watch(service: RealService, group: str, *more: str) -> Result:
    who = ("--url", service.url, "--user", USER.user_id, "--password-stdin", *more)
    return CliRunner().invoke(app, ["tasks", "watch", group, *who], input=f"{USER.password}\n")


@pytest.mark.parametrize(("last", "code"), [("SUCCESS", 0), ("FAILED", 1)])
def test_it_counts_until_the_group_is_complete(service: RealService, last: str, code: int) -> None:
    job = Job(service, 3)
    job.complete(0)
    with ThreadPoolExecutor(1) as pool:
        watching = pool.submit(watch, service, job.group)
        wait_until(lambda: job.watchers == 1)
        job.complete(1)
        job.complete(2, last)
        job.finish()
        result = watching.result(30)
    failed = ", 1 failed" if code else ""
    assert (result.exit_code, result.stdout) == (code, f"complete: 3 of 3 tasks{failed}\n")
    lines = result.stderr.splitlines()
    assert lines[-1] == f"3 of 3 tasks{failed}"
    assert len(set(lines)) == len(lines)


def test_it_connects_again_where_a_stream_ends(service: RealService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_watch, "_PAUSE_SECONDS", 0.01)
    job, hub = Job(service, 2), service.app.state.service.hub
    with ThreadPoolExecutor(1) as pool:
        watching = pool.submit(watch, service, job.group, "--json")
        for number in range(2):
            wait_until(lambda: job.watchers == 1)
            job.complete(number)
            hub.end_all()
            wait_until(lambda: job.watchers == 0)
        wait_until(lambda: job.watchers == 1)
        job.finish()
        result = watching.result(30)
    assert result.exit_code == 0
    assert json.loads(result.stdout)["success"] == 2


@pytest.mark.parametrize("write", [str, str.upper])
def test_one_that_is_complete_ends_at_once(service: RealService, write: Callable[[str], str]) -> None:
    job = Job(service, 1)
    job.finish()
    result = watch(service, write(job.group))
    assert (result.exit_code, result.stdout) == (0, "complete: 0 of 1 task\n")


def test_an_event_that_a_stream_has_begun_is_read_again(
    service: RealService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_watch, "_PAUSE_SECONDS", 0.01)
    read, broken = httpx2.Response.aiter_lines, list[str]()

    async def break_once(answer: httpx2.Response) -> AsyncIterator[str]:
        async for line in read(answer):
            if line.startswith("data: ") and not broken:
                broken.append(line)
                raise httpx2.ReadError("cut")
            yield line

    monkeypatch.setattr(httpx2.Response, "aiter_lines", break_once)
    job = Job(service, 1)
    job.finish()
    assert watch(service, job.group).exit_code == 0
    assert broken == [f"data: group:{job.group}:COMPLETE"]


@pytest.mark.parametrize(
    ("group", "more", "code"),
    [("0" * 24, (), 1), ("0" * 24, ("--realm", "nowhere"), 1), ("x?y=1", (), 1)],
)
def test_what_cannot_be_watched(service: RealService, group: str, more: tuple[str, ...], code: int) -> None:
    result = watch(service, group, *more)
    assert result.exit_code == code
    assert result.stderr.startswith("error[")
    assert more or group in result.stderr


def test_a_bar_on_a_terminal(service: RealService, monkeypatch: pytest.MonkeyPatch) -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=100, markup=False)
    monkeypatch.setattr(task_watch, "open_error_output", lambda: console)
    job = Job(service, 2)
    job.complete(0)
    job.finish()
    assert watch(service, job.group).exit_code == 0
    assert isinstance(console.file, io.StringIO)
    assert "1 of 2 tasks" in console.file.getvalue()
    assert "━" in console.file.getvalue()
