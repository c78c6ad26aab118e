"""The command in this process (quick), and as processes of its own (for what starts, listens and ends)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from runtime.cli.commands import app
from runtime.embedded import embedded

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent

Command = Callable[..., Result]


@pytest.fixture(scope="session")
def key_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One set of keys for all tests."""
    return tmp_path_factory.mktemp("data")


@pytest.fixture
def command(
    mongo_uri: str, realm: str, key_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Command]:
    """Runs the command in this process, with the stand-in application on a fresh realm."""
    monkeypatch.syspath_prepend(str(HERE))
    environment = {
        "MONGODB_URI": mongo_uri,
        "SERVICE_APP": "stand_in:create",
        "SERVICE_ENVIRONMENT": "development",
        "SERVICE_DEFAULT_REALM": realm,
        "SERVICE_DATA_FOLDER": str(key_folder),
        "AUTH_BCRYPT_COST": "4",
    }

    def run(*words: str, stdin: str = "", env: dict[str, str] | None = None) -> Result:
        return CliRunner().invoke(app, list(words), input=stdin, env=environment | (env or {}))

    yield run
    sys.modules.pop("stand_in", None)


@dataclass
class Running:
    """A ``recordsmith serve`` that has said where it listens."""

    process: subprocess.Popen[str]
    facts: dict[str, Any]

    @property
    def url(self) -> str:
        return str(self.facts["url"])

    def stop(self, number: int = signal.SIGTERM) -> int:
        """The exit code after a signal."""
        self.process.send_signal(number)
        return self.process.wait(timeout=60)


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    """A data folder whose mongod, if one is left, is stopped after the test."""
    folder = tmp_path / "data"
    yield folder
    if (folder / "mongodb.json").exists():
        with embedded(folder):
            pass


@pytest.fixture
def run(data: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the command as a process, on ``data``."""

    def start(*words: str, stdin: str = "", cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "runtime.cli", *words, "--data", str(data)],
            input=stdin,
            capture_output=True,
            text=True,
            cwd=cwd,
            env=_environment(),
            timeout=120,
            check=False,
        )

    return start


@pytest.fixture
def serve(data: Path) -> Iterator[Callable[..., Running]]:
    """Starts services on ``data``; those still running after the test are killed."""
    started: list[subprocess.Popen[str]] = []

    def start(*words: str, cwd: Path = ROOT) -> Running:
        with (data.parent / "serve.log").open("ab") as log:
            process = subprocess.Popen(
                [
                    sys.executable,
                    "-m",
                    "runtime.cli",
                    "serve",
                    "--port",
                    "0",
                    "--json",
                    "--data",
                    str(data),
                    *words,
                ],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                cwd=cwd,
                env=_environment(),
            )
        started.append(process)
        assert process.stdout
        said = ""
        while not said.endswith("}\n") or said.count("{") != said.count("}"):
            line = process.stdout.readline()
            assert line, f"no start: {said} {(data.parent / 'serve.log').read_text()}"
            said += line
        assert "error" not in json.loads(said), said
        return Running(process, json.loads(said))

    yield start
    for process in started:
        process.kill()
        process.wait()
        assert process.stdout
        process.stdout.close()


def _environment() -> dict[str, str]:
    unset = ("MONGODB_URI", "SERVICE_CONFIG", "SERVICE_DATA_FOLDER")
    inherited = {name: value for name, value in os.environ.items() if name not in unset}
    return inherited | {
        "PYTHONPATH": os.pathsep.join(
            [os.environ.get("RECORDSMITH_TEST_PATH", str(ROOT)), str(ROOT), str(HERE)]
        ),
        "SERVICE_APP": os.environ.get("RECORDSMITH_TEST_APP", "stand_in:create"),
        "AUTH_BCRYPT_COST": "4",
    }
