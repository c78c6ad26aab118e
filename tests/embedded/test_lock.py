"""runtime.storage.embedded.lock: who excludes whom, and that the dead hold nothing."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from runtime.storage.embedded.lock import FileLock, is_locked

_HOLDER = """
import sys
from pathlib import Path
from runtime.storage.embedded.lock import FileLock
lock = FileLock(Path(sys.argv[1]))
print(lock.acquire(shared=sys.argv[2] == "shared"), flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize(
    ("first", "second", "granted"),
    [
        pytest.param("shared", "shared", True, id="shared beside shared"),
        pytest.param("shared", "exclusive", False, id="exclusive waits for shared"),
        pytest.param("exclusive", "shared", False, id="shared waits for exclusive"),
        pytest.param("exclusive", "exclusive", False, id="one exclusive at a time"),
    ],
)
def test_two_locks_in_one_process(tmp_path: Path, first: str, second: str, granted: bool) -> None:
    with FileLock(tmp_path / "lock") as one, FileLock(tmp_path / "lock") as other:
        assert one.acquire(shared=first == "shared")
        assert other.acquire(shared=second == "shared") is granted


def test_lock_is_free_once_released(tmp_path: Path) -> None:
    with FileLock(tmp_path / "lock") as one, FileLock(tmp_path / "lock") as other:
        assert one.acquire()
        one.release()
        one.release()
        assert other.acquire()


def test_waiting_ends_when_the_lock_is_released(tmp_path: Path) -> None:
    with FileLock(tmp_path / "lock") as one, FileLock(tmp_path / "lock") as other:
        assert one.acquire()
        timer = threading.Timer(0.1, one.release)
        timer.start()
        assert other.acquire(wait=30)
        timer.join()


def test_waiting_gives_up_in_time(tmp_path: Path) -> None:
    with FileLock(tmp_path / "lock") as one, FileLock(tmp_path / "lock") as other:
        assert one.acquire()
        begun = time.monotonic()
        assert not other.acquire(wait=0.1)
        assert 0.1 <= time.monotonic() - begun < 5


def test_holder_upgrades_only_when_alone(tmp_path: Path) -> None:
    with FileLock(tmp_path / "lock") as one, FileLock(tmp_path / "lock") as other:
        assert one.acquire(shared=True)
        assert other.acquire(shared=True)
        assert not one.acquire()
        other.release()
        assert one.acquire()


@pytest.mark.parametrize("kind", ["shared", "exclusive"])
def test_killed_process_holds_nothing(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "lock"
    with subprocess.Popen(
        [sys.executable, "-c", _HOLDER, str(path), kind],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == "True\n"
        assert is_locked(path)
        holder.kill()
    assert not is_locked(path)


def test_absent_file_is_not_locked_and_not_made(tmp_path: Path) -> None:
    assert not is_locked(tmp_path / "lock")
    assert not (tmp_path / "lock").exists()
