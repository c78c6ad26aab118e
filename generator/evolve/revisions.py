"""Specifications as of a revision of git.

They are read with ``ls-tree`` and ``cat-file``: regular YAML files only. Nothing is checked out, and neither
attributes, filters nor hooks of the repository are run.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

_REGULAR = ("100644", "100755")


class UnknownVersionError(Exception):
    """Nothing to compare with is there."""


@dataclass(frozen=True, slots=True)
class Revision:
    """A commit of the repository whose work tree is at ``top``."""

    top: Path
    commit: str

    @classmethod
    def find(cls, revision: str, near: Path) -> Revision:
        """Find the commit that a revision names. Raises ``UnknownVersionError``."""
        try:
            top = _run(near, "rev-parse", "--show-toplevel").decode().removesuffix("\n")
            wanted = f"{revision}^{{commit}}"
            found = _run(near, "rev-parse", "--verify", "--quiet", "--end-of-options", wanted)
        except (subprocess.CalledProcessError, ValueError):
            message = f"{revision!r} is not a file, a folder or a revision of git"
            raise UnknownVersionError(message) from None
        return cls(Path(top).resolve(), found.decode().strip())

    def write_specs(self, specs: Path, folder: Path) -> bool:
        """Write the YAML files that a folder had; whether there were any."""
        if not specs.resolve().is_relative_to(self.top):
            return False
        files = list(self._list_files(specs.resolve().relative_to(self.top)))
        contents = _run(self.top, "cat-file", "--batch", stdin="".join(f"{name}\n" for name, _path in files))
        for _name, path in files:
            head, _newline, contents = contents.partition(b"\n")
            size = int(head.split()[-1])
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(contents[:size])
            contents = contents[size + 1 :]
        return bool(files)

    def _list_files(self, below: Path) -> Iterator[tuple[str, PurePosixPath]]:
        """Yield object name and path, within the folder, of its regular YAML files."""
        prefix = "" if below == Path() else f"{below.as_posix()}/"
        wanted = [f":(top,literal){prefix}"] if prefix else []
        listed = _run(self.top, "ls-tree", "-r", "-z", "--full-tree", self.commit, "--", *wanted)
        for line in filter(None, listed.decode("utf-8", "surrogateescape").split("\0")):
            about, _tab, path = line.partition("\t")
            mode, _kind, name = about.split()
            inner = PurePosixPath(path.removeprefix(prefix))
            if mode in _REGULAR and inner.suffix in (".yaml", ".yml") and _is_inside(inner):
                yield name, inner


def _is_inside(path: PurePosixPath) -> bool:
    """Whether a path leads nowhere else; git does not look at the names in a tree that was fetched."""
    return not path.is_absolute() and ".." not in path.parts


def _run(folder: Path, *arguments: str, stdin: str = "") -> bytes:
    command = ["git", "-C", str(folder), *arguments]
    try:
        return subprocess.run(command, input=stdin.encode(), check=True, capture_output=True).stdout
    except FileNotFoundError:
        raise UnknownVersionError("git is not installed; name a file or a folder instead") from None
