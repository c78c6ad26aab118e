"""{path: text} → files, or → what differs from the files. Files that are not ours are never touched.

The folder has a list of what was written: the version that wrote it, and a line for each file, the hash of
its text and its path, as of ``sha256sum``. A file is ours when it is in that list or carries the header of
generated code; a file whose text is neither the wanted one nor the listed one was edited by hand. Git
merges the lists of two branches by keeping the lines of both (``merge=union`` in ``.gitattributes``); the
next run writes it again.
"""

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

from generator.excerpts import excerpt_diff
from generator.files import remove_file, replace_file
from generator.folders import LIST_NAME, WRITER, name_writer

_LARGE = 1024 * 1024
_FORMER_LIST = ".generated.json"
_LINE = re.compile(r"([0-9a-f]{64})  (\S.*)")

_CACHES = ("__pycache__", ".mypy_cache", ".ruff_cache")
_SPECS = "specs"


Texts = Mapping[str, str | bytes]
"""Path → text; large ones are bytes."""


class DriftKind(StrEnum):
    """How a file differs from what the specifications ask for."""

    MISSING = "missing"
    DRIFTED = "drifted"
    EDITED = "hand-edited"
    STRAY = "stray"


@dataclass(frozen=True, slots=True)
class Drift:
    """One file that is not as it should be. ``excerpt`` is the head of a unified diff."""

    path: str
    kind: DriftKind
    excerpt: str = ""


@dataclass(frozen=True, slots=True)
class Changes:
    """What a write did; paths below the folder."""

    written: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: int


class ForeignFilesError(Exception):
    """Files where generated ones belong, which the generator did not write. Nothing was written."""

    def __init__(self, folder: Path, paths: list[str]) -> None:
        named = ", ".join(str(folder / path) for path in paths)
        super().__init__(f"not written by the generator, so it stays as it is: {named}; move it away first")
        self.paths = paths


def write(texts: Texts, folder: Path, mark: str) -> Changes:
    """Write the texts that differ, and remove generated files that have no text any more.

    ``mark`` is part of the first line of every generated module. Each file is replaced in one step.
    Raises ``ForeignFilesError`` before anything is written, and ``OSError``.
    """
    known, contents = _read_known(folder), _encode(texts)
    written = [path for path in sorted(contents) if _read_bytes(folder / path) != contents[path]]
    if foreign := [path for path in written if _is_foreign(path, folder, known, mark)]:
        raise ForeignFilesError(folder, foreign)
    removed = [path for path in _others(texts, folder) if path in known or _is_marked(folder / path, mark)]
    for path in written:
        replace_file(folder / path, contents[path])
    for path in removed:
        remove_file(folder / path)
        _remove_empty(folder, (folder / path).parent)
    listed = name_writer() + _render_list(contents)
    if _read(folder / LIST_NAME) != listed:
        replace_file(folder / LIST_NAME, listed)
    (folder / _FORMER_LIST).unlink(missing_ok=True)
    return Changes(tuple(written), tuple(removed), len(texts) - len(written))


def compare(texts: Texts, folder: Path) -> list[Drift]:
    """List the files that ``write`` would change, by path. Files without a text are strays.

    Another version may have written them, as long as it wrote the same.
    """
    known, contents = _read_known(folder), _encode(texts)
    writer = WRITER.match(_read(folder / LIST_NAME) or "")
    listed = (writer[0] if writer else "") + _render_list(contents)
    found = [Drift(path, DriftKind.STRAY) for path in _others(texts, folder)]
    for path, wanted in {**contents, LIST_NAME: listed.encode()}.items():
        content = _read_bytes(folder / path)
        if content is None:
            found.append(Drift(path, DriftKind.MISSING))
        elif content != wanted:
            as_written = path == LIST_NAME or path not in known or hash_content(content) in known[path]
            kind = DriftKind.DRIFTED if as_written else DriftKind.EDITED
            found.append(Drift(path, kind, excerpt_diff(path, _decode(content), wanted.decode())))
    return sorted(found, key=lambda one: one.path)


def count_intact(folder: Path) -> int | None:
    """Count the files of the list, if each is as it was written and no other is there; None if not."""
    known = _read_known(folder)
    for path, hashes in known.items():
        try:
            content = (folder / path).read_bytes()
        except OSError:
            return None
        if hashes != {hash_content(content)}:
            return None
    is_whole = (folder / LIST_NAME).is_file() and not (folder / _FORMER_LIST).exists()
    return len(known) if is_whole and not _others(known, folder) else None


def _encode(texts: Texts) -> dict[str, bytes]:
    return {path: as_bytes(text) for path, text in texts.items()}


def as_bytes(text: str | bytes) -> bytes:
    """Return the bytes of a text."""
    return text if isinstance(text, bytes) else text.encode()


def _render_list(contents: Mapping[str, bytes]) -> str:
    return "".join(f"{hash_content(contents[path])}  {path}\n" for path in sorted(contents))


def _read_known(folder: Path) -> dict[str, frozenset[str]]:
    """Read the last list: path → hashes (several after a merge). Ignore other lines."""
    known: dict[str, frozenset[str]] = {}
    for digest, path in map(re.Match.groups, filter(None, map(_LINE.fullmatch, _lines(folder)))):
        known[path] = known.get(path, frozenset()) | {digest}
    return known


def _lines(folder: Path) -> list[str]:
    """Read the lines of the list, or of its former JSON format."""
    if (text := _read(folder / LIST_NAME)) is not None:
        return text.splitlines()
    former = re.findall(r'"([^"]+)": "([0-9a-f]{64})"', _read(folder / _FORMER_LIST) or "")
    return [f"{digest}  {path}" for path, digest in former]


def _is_foreign(path: str, folder: Path, known: Mapping[str, frozenset[str]], mark: str) -> bool:
    """Whether a file is there that neither the list nor its first line says is ours.

    A list that cannot be read (a merge left its marks in it) still says that the folder is ours.
    """
    if (folder / path).is_dir() or any(parent.is_file() for parent in _parents(path, folder)):
        return True
    if path in known or not (folder / path).exists() or _is_marked(folder / path, mark):
        return False
    return bool(known) or not (folder / LIST_NAME).exists()


def _parents(path: str, folder: Path) -> list[Path]:
    """List the folders between a file and the output folder."""
    return [folder / one for one in Path(path).parents if one != Path()]


def hash_content(content: bytes) -> str:
    """Hash the content of a file. That of a large one is remembered, since a run needs it several times."""
    return _hash_large(content) if len(content) > _LARGE else hashlib.sha256(content).hexdigest()


@lru_cache(maxsize=2)
def _hash_large(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _others(texts: Mapping[str, object], folder: Path) -> list[str]:
    """List the files in the folder that are not among the texts. Specifications are never generated."""
    skipped, known = {*_CACHES}, {*texts, LIST_NAME, _FORMER_LIST}
    found: list[str] = []
    for here, folders, files in os.walk(folder):
        place = "".join(f"{part}/" for part in Path(here).relative_to(folder).parts)
        folders[:] = [name for name in folders if name not in skipped and (place or name != _SPECS)]
        found += [path for name in files if (path := f"{place}{name}") not in known]
    return sorted(path for path in found if path != _SPECS and (folder / path).is_file())


def _read(file: Path) -> str | None:
    """Read a text; None when it is not there. What is not a text differs from any."""
    content = _read_bytes(file)
    return None if content is None else _decode(content)


def _read_bytes(file: Path) -> bytes | None:
    """Read a file; None when it is not there. A folder differs from any text."""
    try:
        return file.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except IsADirectoryError:
        return b"\xff"


def _decode(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return "\ufffd"


def _is_marked(file: Path, mark: str) -> bool:
    return mark in (_read(file) or "").partition("\n")[0]


def _remove_empty(folder: Path, inner: Path) -> None:
    """Remove folders that held only generated files, and Python's caches of them."""
    while inner != folder and not any(one.name not in _CACHES for one in inner.iterdir()):
        for cached in [*inner.glob("__pycache__/*")]:
            cached.unlink()
        for cache in [*inner.iterdir()]:
            cache.rmdir()
        inner.rmdir()
        inner = inner.parent
