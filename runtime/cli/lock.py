"""One service per data folder: who holds it, and where it answers."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from runtime.cli.output import CommandFailed, Outcome
from runtime.embedded import FileLock
from runtime.errors import Misconfigured


@contextmanager
def service_lock(data: Path, url: str) -> Iterator[None]:
    """Hold the data folder for a service at ``url``.

    Raises ``CommandFailed`` (exit code 3) naming the process and address of the service that has it,
    ``Misconfigured`` when the folder cannot be written.
    """
    note = data / "service.json"
    lock = FileLock(data / "service.lock")
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        held = lock.acquire()
    except OSError as error:
        reason = error.strerror or error
        message = f"the data folder {data} cannot be written ({reason}); choose another with --data"
        raise Misconfigured(message, cause=error) from None
    if not held:
        message = (
            f"{holder(data)} already uses the data folder {data}: stop it, or choose another with --data"
        )
        raise CommandFailed("service.running", message, Outcome.IN_USE)
    with lock:
        note.write_text(json.dumps({"pid": os.getpid(), "url": url}) + "\n", "utf-8")
        try:
            yield
        finally:
            note.unlink(missing_ok=True)


def holder(data: Path) -> str:
    """The service of a folder in words; it may be starting or ending, hence unknown."""
    try:
        note = json.loads((data / "service.json").read_text("utf-8"))
        return f"a service (process {note['pid']}, {note['url']})"
    except (OSError, ValueError, KeyError, TypeError):
        return "a service"
