"""The command in this process (quick), and as processes of its own (for what starts, listens and ends)."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch
from uuid import uuid4

import pytest
from pymongo import MongoClient
from pymongo.database import Database
from typer import testing
from typer.testing import CliRunner, Result

from runtime.cli import commands
from runtime.cli.commands import app
from runtime.storage.embedded import run_embedded
from runtime.storage.embedded.folder import Folder
from tests.forked import Process, start_command
from tests.patience import STORE_MS
from tests.reused import delete_documents

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent

ENDING = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
"""The signals that an in-process ``serve`` handles."""

Command = Callable[..., Result]


@pytest.fixture(scope="session", autouse=True)
def command_built_once() -> Iterator[None]:
    """The runner builds the whole command anew for each call, which takes longer than most commands do."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(commands, "_load", cache(commands._load))
        patch.setattr(testing, "_get_command", cache(testing._get_command))
        yield


@pytest.fixture(scope="module")
def realm_of_module(mongo_client: MongoClient[dict[str, Any]]) -> Iterator[str]:
    """One database for the tests of a module: making indexes is most of what a command on a fresh one does."""
    name = f"test-{uuid4().hex[:12]}"
    yield name
    mongo_client.drop_database(name)


@pytest.fixture
def emptied_realm(realm_of_module: str, mongo_client: MongoClient[dict[str, Any]]) -> Iterator[str]:
    """The same database for each test, without a document in it; the indexes stay. A module whose tests do
    not ask for a fresh one has this as its ``realm``."""
    yield realm_of_module
    delete_documents(mongo_client[realm_of_module])


@pytest.fixture
def documents(mongo_client: MongoClient[dict[str, Any]], realm: str) -> Database[dict[str, Any]]:
    return mongo_client[realm]


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
        "MONGODB_TIMEOUT_MS": str(STORE_MS),
    }

    def run(*words: str, stdin: str = "", env: dict[str, str] | None = None) -> Result:
        return CliRunner().invoke(app, list(words), input=stdin, env=environment | (env or {}))

    yield run
    sys.modules.pop("stand_in", None)


@dataclass
class Running:
    """A ``recordsmith serve`` that has said where it listens."""

    process: Process
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
    if Folder(folder).is_served():
        with run_embedded(folder):
            pass


@pytest.fixture
def elsewhere(mongo_uri: str, realm: str) -> dict[str, str]:
    """The environment of a service whose MongoDB is that of the run, and not of its data folder."""
    return {
        "MONGODB_URI": mongo_uri,
        "SERVICE_DEFAULT_REALM": realm,
        "SERVICE_ENVIRONMENT": "development",
        "MONGODB_TIMEOUT_MS": str(STORE_MS),
    }


@pytest.fixture
def light(elsewhere: dict[str, str]) -> dict[str, str]:
    """The same, of an application that is quick to load."""
    return elsewhere | {"SERVICE_APP": "light:create"}


@pytest.fixture
def here(data: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Command]:
    """Runs the command in this process, on ``data``: for what ends by itself."""
    monkeypatch.syspath_prepend(str(HERE))
    handlers = {number: signal.getsignal(number) for number in ENDING}

    def run(*words: str, stdin: str = "", env: dict[str, str] | None = None) -> Result:
        environment = dict.fromkeys(_UNSET) | _own_environment() | (env or {})
        with patch.dict(os.environ):  # ``serve`` sets variables for its workers, also where it fails later
            return CliRunner().invoke(app, [*words, "--data", str(data)], input=stdin, env=environment)

    yield run
    for number, handler in handlers.items():
        signal.signal(number, handler)
    sys.modules.pop("stand_in", None)


@pytest.fixture
def serve(data: Path) -> Iterator[Callable[..., Running]]:
    """Starts services on ``data``, with the ``options`` of ``start_command``; kills those that run at the end."""
    started: list[Process] = []

    def start(*words: str, cwd: Path = ROOT, env: dict[str, str] | None = None, **options: bool) -> Running:
        words = ("serve", "--port", "0", "--json", "--data", str(data), *words)
        with (data.parent / "serve.log").open("ab") as log:
            process = start_command(*words, cwd=cwd, env=_environment() | (env or {}), stderr=log, **options)
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


_UNSET = ("MONGODB_URI", "SERVICE_CONFIG", "SERVICE_DATA_FOLDER")


def _environment() -> dict[str, str]:
    inherited = {name: value for name, value in os.environ.items() if name not in _UNSET}
    path = [os.environ.get("RECORDSMITH_TEST_PATH", str(ROOT)), str(ROOT), str(HERE)]
    return inherited | _own_environment() | {"PYTHONPATH": os.pathsep.join(path)}


def _own_environment() -> dict[str, str]:
    return {
        "SERVICE_APP": os.environ.get("RECORDSMITH_TEST_APP", "stand_in:create"),
        "AUTH_BCRYPT_COST": "4",
    }
