"""The name under which a reader can call this command again."""

import shlex
import shutil
import sys
from pathlib import Path
from typing import Final

_NAME: Final = "recordsmith"


def command_name() -> str:
    """Return ``recordsmith`` where the shell finds this very command, else a path it can be called by.

    The path is quoted for the shell. ``python -m recordsmith`` is the command next to that Python.
    """
    called, found = Path(sys.argv[0]), shutil.which(_NAME)
    if called.name != _NAME:
        called = Path(sys.executable).with_name(_NAME)
    if not called.exists() or (found and Path(found).samefile(called)):
        return _NAME
    here = Path.cwd()
    return shlex.quote(str(called.relative_to(here) if called.is_relative_to(here) else called))


def spell_command(*words: object) -> str:
    """Return this command with ``words``, for a shell."""
    return f"{command_name()} {shlex.join(map(str, words))}"
