"""One service per data folder: which one holds it, where it listens, and what its tokens carry."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final, Literal

from runtime.cli.output import CommandFailed, ExitCode
from runtime.errors import Misconfigured
from runtime.settings import Settings
from runtime.storage.embedded import FileLock, is_locked

_READABLE: Final = 0o644
"""The mode of the note, whatever the umask: who writes it decides where commands send passwords."""


@dataclass(frozen=True, slots=True)
class RunningService:
    """A service as its data folder records it. ``url`` is where it listens; tokens carry the other two."""

    pid: int
    url: str
    base_url: str
    issuer: str


@contextmanager
def hold_data_folder(settings: Settings, url: str) -> Iterator[None]:
    """Hold the data folder for a service with these settings that listens at ``url``.

    Raises ``CommandFailed`` (exit code 3) naming the process and address of the service that has it,
    ``Misconfigured`` when the folder cannot be written.
    """
    data = settings.data_folder
    lock = FileLock(data / "service.lock")
    with report_unusable(data, "written"):
        data.mkdir(mode=0o700, parents=True, exist_ok=True)
        held = lock.acquire()
    if not held:
        user = describe_holder(data)
        message = f"{user} already uses the data folder {data}: stop it, or choose another with --data"
        raise CommandFailed("service.running", message, ExitCode.IN_USE)
    with lock:
        facts = RunningService(os.getpid(), url, settings.base_url, settings.token_issuer)
        with report_unusable(data, "written"):
            _note(data).unlink(missing_ok=True)  # of a service that was killed, whatever its mode
            _note(data).touch(_READABLE)
            _note(data).write_text(json.dumps(asdict(facts)) + "\n", "utf-8")
        try:
            yield
        finally:
            _note(data).unlink(missing_ok=True)


def running_service(data: Path) -> RunningService | None:
    """Return the service that holds a data folder; None without one, or while it is starting or ending.

    Raises ``Misconfigured`` for a folder that cannot be read.
    """
    with report_unusable(data, "read"):
        if not is_locked(data / "service.lock"):
            return None  # a note without a lock is that of a service that was killed
    try:
        return RunningService(**json.loads(_note(data).read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def describe_holder(data: Path) -> str:
    """Describe the service of a folder; it may be starting or ending, hence unknown."""
    running = running_service(data)
    return f"a service (process {running.pid}, {running.url})" if running else "a service"


def _note(data: Path) -> Path:
    return data / "service.json"


@contextmanager
def report_unusable(data: Path, what: Literal["read", "written"]) -> Iterator[None]:
    """Turn what keeps a process from the files of a data folder into ``Misconfigured``."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or error
        message = f"the data folder {data} cannot be {what} ({reason}); choose another with --data"
        raise Misconfigured(message, cause=error) from None
