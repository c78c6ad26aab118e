"""What the output of a run depends on: the specifications, the code of the generator, its libraries.

All of it is read and hashed, some thousand small files in a twentieth of a second: times of files are not
trusted, since a checkout may set any.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from stat import S_ISREG

from generator.files import replace_file
from generator.folders import find_runtime

FOLDER = ".cache"
"""The folder of the cache, within the specifications; it ignores itself in git."""

_OF_LIBRARIES = (".dist-info", ".egg-info")
_COMPILED = "__pycache__"
_State = tuple[str, int, int, int]


def is_believed() -> bool:
    """Whether a run may use what earlier ones found out: not in CI, which trusts only itself."""
    return not os.environ.get("CI")


@dataclass(frozen=True, slots=True)
class Sources:
    """The specifications as they were when a run began.

    ``key``: the hash of them and of the program. ``states``: size and times of the files, by which a run sees
    that one was written in the meantime.
    """

    folder: Path
    key: str
    states: tuple[_State, ...]

    @classmethod
    def read(cls, folder: Path, *words: str) -> Sources | None:
        """Read all files; ``words`` are options. None where something there is not a regular file."""
        states = tuple(_list_states(folder))
        if not all(S_ISREG(os.stat(one[0]).st_mode) for one in states):
            return None
        digest = hashlib.sha256(os.fsencode("\0".join((hash_program(), folder.resolve().name, *words))))
        for path, *_state in states:
            _add(digest, path, folder)
        return cls(folder, digest.hexdigest(), states)

    @property
    def is_unchanged(self) -> bool:
        """Whether nothing was written since they were read."""
        return tuple(_list_states(self.folder)) == self.states


@cache
def hash_program() -> str:
    """Hash the code of the generator and the runtime, the versions of the libraries, and that of Python."""
    digest = hashlib.sha256(os.fsencode("\0".join((sys.version, *_list_libraries()))))
    for root in (Path(__file__).parents[1], find_runtime()):
        for path, *_state in _list_states(root, _COMPILED):
            _add(digest, path, root)
    return digest.hexdigest()


def ignore_in_git(folder: Path) -> None:
    """Let git ignore the folder of the cache, as those of other tools do themselves."""
    if not (folder / ".gitignore").exists():
        replace_file(folder / ".gitignore", "*\n")


def _list_states(folder: Path, skipped: str = FOLDER) -> Iterator[_State]:
    """List path, size and times of each file, sorted by path; of specifications all that are loaded."""
    for here, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != skipped)
        for name in sorted(files):
            path = os.path.join(here, name)
            try:
                state = os.stat(path)
            except FileNotFoundError:  # a link that leads nowhere
                state = os.lstat(path)
            yield path, state.st_size, state.st_mtime_ns, state.st_ctime_ns


def _add(digest: hashlib._Hash, path: str, folder: Path) -> None:
    """Add a file of a folder, so that no other names and contents give the same bytes."""
    with open(path, "rb", buffering=0) as file:
        content = file.readall()
    name = os.fsencode(path.removeprefix(str(folder)))
    digest.update(b"%d %b %d " % (len(name), name, len(content)))
    digest.update(content)


def _list_libraries() -> list[str]:
    """List the installed libraries with their versions, which the names of their folders have."""
    found: set[str] = set()
    for folder in sys.path:
        with suppress(OSError):
            found.update(name for name in os.listdir(folder or ".") if name.endswith(_OF_LIBRARIES))
    return sorted(found)
