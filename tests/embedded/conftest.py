"""Users of an embedded MongoDB as real processes, so that they can be killed."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pymongo import MongoClient

from runtime.storage.embedded import run_embedded
from runtime.storage.embedded.folder import Folder
from tests.embedded.entering import enter
from tests.forked import FORKING


class User:
    """A process inside ``embedded(data)``. The address is there once it is in."""

    def __init__(self, data: Path) -> None:
        self._end, theirs = FORKING.Pipe()
        self._process = FORKING.Process(target=enter, args=(data, theirs))
        self._process.start()
        theirs.close()

    def uri(self) -> str:
        """Waits until the process is in."""
        return str(self._end.recv())

    def leave(self) -> int | None:
        """The exit code, after an orderly way out."""
        self._end.close()
        self._process.join()
        return self._process.exitcode

    def kill(self) -> None:
        self._process.kill()
        self._process.join()
        self._end.close()


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder with the mark 1, of a mongod that was stopped. Tests that change it take a copy."""
    folder = tmp_path_factory.mktemp("marked") / "data"
    with (
        run_embedded(folder) as uri,
        MongoClient[dict[str, object]](uri, w="majority", journal=True) as client,
    ):
        client["test"]["marks"].insert_one({"_id": 1})
    return folder


@pytest.fixture
def marked_data(marked: Path, data: Path) -> Path:
    """A copy of it."""
    shutil.copytree(marked, data)
    return data


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    """A data folder; a mongod left running on it is killed after the test."""
    folder = tmp_path / "data"
    yield folder
    left = Folder(folder)
    if left.is_served() and (address := left.address()):
        os.kill(address.pid, getattr(signal, "SIGKILL", signal.SIGTERM))


@pytest.fixture
def user(data: Path) -> Iterator[Callable[[], User]]:
    """Makes users of ``data``; those still there after the test are killed."""
    users: list[User] = []

    def make() -> User:
        users.append(User(data))
        return users[-1]

    yield make
    for each in users:
        each.kill()
