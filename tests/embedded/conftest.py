"""Users of an embedded MongoDB as real processes, so that they can be killed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from runtime.embedded import embedded

ROOT = Path(__file__).parents[2]

# Enters, says the address, leaves when its input ends.
_USER = """
import sys
from pathlib import Path
from runtime.embedded import embedded
with embedded(Path(sys.argv[1])) as uri:
    print(uri, flush=True)
    sys.stdin.read()
"""


class User:
    """A process inside ``embedded(data)``. The address is there once it is in."""

    def __init__(self, data: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _USER, str(data)],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def uri(self) -> str:
        """Waits until the process is in."""
        assert self._process.stdout
        return self._process.stdout.readline().strip()

    def leave(self) -> int:
        """The exit code, after an orderly way out."""
        self._process.communicate()
        return self._process.returncode

    def kill(self) -> None:
        self._process.kill()
        self._process.communicate()


@pytest.fixture
def data(tmp_path: Path) -> Iterator[Path]:
    """A data folder; a mongod left running on it is stopped after the test."""
    folder = tmp_path / "data"
    yield folder
    if (folder / "mongodb.json").exists():
        with embedded(folder):
            pass


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
