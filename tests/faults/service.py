"""The generated service as processes of its own, at one address for all its lives."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx2

from tests.faults.replica_set import free_ports
from tests.forked import Process, start_command

REALM = "faults"
TENANT = "acme"

INHERITED = ("MONGODB_LANE", "MONGODB_TIMEOUT_MS")
"""Settings of whoever runs the harness that the service has, too: other ones of a developer would disturb it."""


@dataclass
class ServiceProcess:
    """``recordsmith serve``, in a session of its own: a kill takes the parent and all its workers at once."""

    uri: str
    folder: Path
    workers: int
    port: int
    user: str = ""
    token: str = ""
    process: Process | None = None
    settings: Mapping[str, str] = field(default_factory=dict)
    """By the names of environment variables."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self, *options: str) -> dict[str, object]:
        """Start it, and wait until it says what it offers."""
        words = (
            *("serve", "--port", str(self.port), "--json"),
            *("--workers", str(self.workers), "--data", str(self.folder), *options),
        )
        with (self.folder / "service.log").open("ab") as log:
            self.process = start_command(*words, env=self.environment(), stderr=log, new_session=True)
        said = self._said()
        assert said.startswith("{\n"), f"no facts: {said!r} {self.log[-3000:]}"
        facts: dict[str, object] = json.loads(said)
        return facts

    def begin(self) -> None:
        """The first start: makes the demonstration's users and records, and signs one of them in."""
        users = self.start("--demo")["demoUsers"]
        assert isinstance(users, list)
        user = next(one for one in users if one["tenantId"] == TENANT)
        self.user = user["userId"]
        sent = {"userId": self.user, "password": user["password"]}
        answer = httpx2.post(f"{self.url}/security/login", json=sent, timeout=180)
        self.token = answer.raise_for_status().json()["accessToken"]

    def kill(self) -> None:
        """Without warning; returns when all of it is gone."""
        if self.process is None:
            return
        with suppress(ProcessLookupError):  # all of it has ended
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.read()  # ends when the last worker has gone
        self.process.stdout.close()
        self.process = None

    def _said(self) -> str:
        """The facts, which end with a brace on a line of its own."""
        assert self.process is not None
        assert self.process.stdout is not None
        said = ""
        while not said.endswith("\n}\n"):
            line = self.process.stdout.readline()
            assert line, f"no start: {said} {self.log[-3000:]}"
            said += line
        return said

    @property
    def log(self) -> str:
        """What all its lives have complained of."""
        return (self.folder / "service.log").read_text("utf-8", "replace")

    def environment(self) -> dict[str, str]:
        """The environment of the process."""
        inherited = {
            name: value
            for name, value in os.environ.items()
            if name in INHERITED or not name.startswith(("SERVICE_", "MONGODB_", "AUTH_", "LOG_"))
        }
        return inherited | {
            "MONGODB_URI": self.uri, "SERVICE_DEFAULT_REALM": REALM, "SERVICE_ENVIRONMENT": "development",
            "SERVICE_BASE_URL": self.url, "AUTH_BCRYPT_COST": "4", "LOG_LEVEL": "ERROR",
            **self.settings,
        }  # fmt: skip


@contextmanager
def served(uri: str, folder: Path, workers: int, **settings: str) -> Iterator[ServiceProcess]:
    """A service that runs and has signed its caller in; killed at the end."""
    folder.mkdir(parents=True, exist_ok=True)
    service = ServiceProcess(uri, folder, workers, free_ports(1)[0], settings=settings)
    try:
        service.begin()
        yield service
    finally:
        service.kill()
