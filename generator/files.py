"""Writing single files: over those that are there in one step, or never over one."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

TEMPORARY = ".writing-"
"""How the names of files begin that are just being written."""


def replace_file(file: Path, text: str | bytes) -> None:
    """Write a file in one step, and the folders above it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=file.parent, prefix=TEMPORARY)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(text if isinstance(text, bytes) else text.encode())
        Path(name).chmod(0o644)
        _set_later_second(Path(name), file)
        Path(name).replace(file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def create_file(file: Path, text: str) -> None:
    """Write a new file, and the folders above it, never over one that is there: ``FileExistsError``."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("x", encoding="utf-8", newline="\n") as stream:
        stream.write(text)


def _set_later_second(new: Path, old: Path) -> None:
    """Set the time of a file to a later second than that of the one it replaces.

    Python compiles a module again when its size or that second differs: a text of the same length, written
    within the same second, would have no effect.
    """
    with suppress(FileNotFoundError):
        second = int(old.stat().st_mtime) + 1
        if new.stat().st_mtime < second:
            os.utime(new, (second, second))
