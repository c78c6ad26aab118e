"""The service of a release, and its commands, as processes: each in the folder of its project."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from tests.forked import Process, start_command
from tests.life.project import Project

TENANT_ADMIN = "admin@acme.example"


@dataclass
class Service:
    """``recordsmith serve`` of one release: at ``url``, until it is stopped."""

    process: Process
    url: str
    log: Path

    def stop(self) -> None:
        """End it in good order. Raises ``AssertionError`` where it does not end so."""
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait() == 0, self.log.read_text("utf-8")


@dataclass
class Realm:
    """One realm on a MongoDB, in which the releases live one after the other."""

    uri: str
    name: str
    folder: Path
    workers: int = 1
    password: str = ""
    _running: list[Process] = field(default_factory=list)
    _started: int = 0

    def start(self, project: Project) -> Service:
        """Start the service of a release; with the users of the demonstration the first time."""
        self._started += 1
        data = self.folder / f"data{self._started}"
        if self._started > 1:
            shutil.copytree(self.folder / "data1" / "keys", data / "keys")
        words = ("serve", "--workers", str(self.workers), "--port", "0", "--json", "--data", str(data))
        process, log = self._run(project, *words, *(() if self.password else ("--demo",)))
        assert process.stdout is not None
        said = ""
        while not said.endswith("\n}\n"):
            line = process.stdout.readline()
            if not line:
                raise RefusedError(said + log.read_text("utf-8"))
            said += line
        facts = json.loads(said)
        if not self.password:
            self.password = next(
                one["password"] for one in facts["demoUsers"] if one["userId"] == TENANT_ADMIN
            )
        return Service(process, facts["url"], log)

    def sign_in(self, service: Service) -> str:
        """Return a token of a user who administers a tenant."""
        body = {"userId": TENANT_ADMIN, "password": self.password}
        answer = httpx2.post(f"{service.url}/security/login", json=body, timeout=60)
        return str(answer.raise_for_status().json()["accessToken"])

    def run(self, project: Project, *words: str) -> Any:
        """Run a command of a release and return what it reports. Raises ``RefusedError``."""
        process, log = self._run(project, *words, "--json", "--data", str(self.folder / "data1"))
        assert process.stdout is not None
        said = process.stdout.read()
        if process.wait() != 0:
            raise RefusedError(said + log.read_text("utf-8"))
        return json.loads(said)

    def begin(self, project: Project, *words: str) -> Process:
        """Start a command that is killed."""
        return self._run(project, *words, "--json", "--data", str(self.folder / "data1"))[0]

    def close(self) -> None:
        """Kill what still runs."""
        for process in self._running:
            process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()

    def _run(self, project: Project, *words: str) -> tuple[Process, Path]:
        log = self.folder / f"log{len(self._running)}"
        with log.open("wb") as errors:
            process = start_command(*words, env=self._environment(project), cwd=project.folder, stderr=errors)
        self._running.append(process)
        return process, log

    def _environment(self, project: Project) -> dict[str, str]:
        return os.environ | {
            "MONGODB_URI": self.uri, "SERVICE_DEFAULT_REALM": self.name, "SERVICE_ENVIRONMENT": "development",
            "SERVICE_BASE_URL": "http://service.example", "SERVICE_APP": project.app, "AUTH_BCRYPT_COST": "4",
            "LOG_LEVEL": "ERROR", "LIMITS_QUEUE_MS": "60000", "MONGODB_TIMEOUT_MS": "4000",
            "COLUMNS": "200",
        }  # fmt: skip


class RefusedError(Exception):
    """A process that ended with an error, and what it said."""


@contextmanager
def open_realm(uri: str, name: str, folder: Path, workers: int = 1) -> Iterator[Realm]:
    """Yield a realm; all its processes end with the block."""
    realm = Realm(uri, name, folder, workers)
    try:
        yield realm
    finally:
        realm.close()
