"""Advisory file locks that the operating system lets go of when a process ends, however it ends.

POSIX has shared and exclusive ``flock``. Windows has exclusive byte ranges only: there a shared lock
is one byte of many, an exclusive lock all of them.
"""

from __future__ import annotations

import os
import secrets
import sys
import time
from pathlib import Path
from types import TracebackType

_POLL_SECONDS = 0.02

if sys.platform == "win32":
    import msvcrt

    _BYTES = 1024

    def _try_lock(handle: int, shared: bool) -> None:
        os.lseek(handle, secrets.randbelow(_BYTES) if shared else 0, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1 if shared else _BYTES)
else:
    import fcntl

    def _try_lock(handle: int, shared: bool) -> None:
        fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)


class FileLock:
    """One lock on one file; the file is made when missing and never removed.

    Two FileLock objects on one path exclude each other, in one process too.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._handle: int | None = None

    def acquire(self, *, shared: bool = False, wait: float = 0) -> bool:
        """Whether the lock was had within ``wait`` seconds; ``OSError`` when the file cannot be opened."""
        self.release()
        handle = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o600)
        end = time.monotonic() + wait
        while True:
            try:
                _try_lock(handle, shared)
            except OSError:
                if time.monotonic() >= end:
                    os.close(handle)
                    return False
                time.sleep(_POLL_SECONDS)
            else:
                self._handle = handle
                return True

    def release(self) -> None:
        """Let go; harmless when nothing is held."""
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def __enter__(self) -> FileLock:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def is_locked(path: Path) -> bool:
    """Whether some process holds ``path``, a file that is locked as a whole; absent means no."""
    if not path.exists():
        return False
    try:
        with FileLock(path) as lock:
            return not lock.acquire()
    except OSError:
        return True  # Windows: mongod opens its lock file so that nobody else can
