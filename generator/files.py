"""Writing single files: over those that are there in one step, or never over one; and removing them."""

import os
import tempfile
from contextlib import suppress
from importlib.util import cache_from_source
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
        if file.suffix == ".py":
            _set_later_second(Path(name), file)
        Path(name).replace(file)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    _remove_compiled(file)


def remove_file(file: Path) -> None:
    """Remove a file, and what Python has compiled of it."""
    file.unlink()
    _remove_compiled(file)


def create_file(file: Path, text: str) -> None:
    """Write a new file, and the folders above it, never over one that is there: ``FileExistsError``."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("x", encoding="utf-8", newline="\n") as stream:
        stream.write(text)


def _set_later_second(new: Path, old: Path) -> None:
    """Set the time of a module to the next second where the one it replaces is of this second.

    What is compiled of the old text may be in another folder (``PYTHONPYCACHEPREFIX``), or be written after
    the new one. The time is at most one second ahead, however often a module is written.
    """
    second = int(new.stat().st_mtime)
    with suppress(FileNotFoundError):
        if int(old.stat().st_mtime) == second:
            os.utime(new, (second + 1, second + 1))


def _remove_compiled(file: Path) -> None:
    """Remove what any version of Python has compiled of a module.

    It compiles a module again when its size or the second of its time differs: a text of the same length,
    written within the same second, would have no effect.
    """
    if file.suffix == ".py":
        for compiled in Path(cache_from_source(str(file))).parent.glob(f"{file.stem}.*.pyc"):
            with suppress(OSError):  # of another user, who compiled it
                compiled.unlink()
