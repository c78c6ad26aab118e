"""The folder of one run and its MongoDB: in memory where there is room, so that no write waits for a disk.

A run holds the lock of its folder until it ends. What a killed run left behind (a folder, perhaps a mongod)
is removed by the next one.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from runtime.storage.embedded import FileLock, is_locked, run_embedded
from runtime.storage.embedded.folder import Folder

_PREFIX = "recordsmith-test-"
_LOCK = "run.lock"
_MEMORY = Path("/dev/shm")
_ROOM = 4 * 2**30
"""Free bytes that make memory the place: MongoDB takes 50 MB at first, and up to 512 more for its oplog."""


def create() -> tuple[Path, FileLock]:
    """Create the folder of this run, and the lock that says that the run goes on."""
    parent = _parent()
    for left in parent.glob(f"{_PREFIX}*"):
        if (left / _LOCK).exists() and not is_locked(left / _LOCK):
            remove(left)
    folder = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=parent))
    lock = FileLock(folder / _LOCK)
    lock.acquire()
    return folder, lock


def remove(folder: Path) -> None:
    """Stop the MongoDB of a run, also after workers that were killed, and remove its folder."""
    if Folder(folder).is_served():
        with run_embedded(folder):  # the last one out stops it
            pass
    shutil.rmtree(folder, ignore_errors=True)


def _parent() -> Path:
    has_room = _MEMORY.is_dir() and shutil.disk_usage(_MEMORY).free >= _ROOM
    return _MEMORY if has_room else Path(tempfile.gettempdir())
