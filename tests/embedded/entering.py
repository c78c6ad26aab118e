"""What a process of a test does that uses an embedded MongoDB."""

from __future__ import annotations

from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path

from runtime.storage.embedded import run_embedded


def enter(data: Path, other: Connection) -> None:
    """Enter, send the address, leave when the other end closes."""
    with run_embedded(data) as uri:
        other.send(uri)
        with suppress(EOFError):
            other.recv()
