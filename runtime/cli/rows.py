"""Rows to import, from a file of JSON: an array of objects, or one object a line."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson

from runtime.cli.output import CommandFailed, ExitCode

Row = dict[str, Any]

JSON_SUFFIXES: Final = (".json", ".ndjson", ".jsonl")
"""The ends of the names of files of rows."""


@dataclass(frozen=True, slots=True)
class Source:
    """A source of ``count`` rows; ``rows`` starts again at each call. Row numbers count from 1."""

    name: str
    count: int
    rows: Callable[[], Iterable[Row]]


def open_rows(path: Path) -> Source:
    """Open a file of rows.

    Raises ``CommandFailed`` (usage) for a file that is missing, of another kind, or cannot be read.
    """
    suffix = path.suffix.lower()
    if suffix not in JSON_SUFFIXES:
        raise build_unreadable(path, f"its name must end in one of {', '.join(('.csv', *JSON_SUFFIXES))}")

    def read() -> Iterable[Row]:
        return _read_array(path) if suffix == ".json" else _read_lines(path)

    try:
        return Source(path.name, sum(1 for _row in read()), read)
    except (OSError, orjson.JSONDecodeError) as error:
        raise build_unreadable(path, getattr(error, "strerror", None) or str(error)) from error


def build_unreadable(path: Path, reason: str) -> CommandFailed:
    """Build the error that names the file and why it cannot be read."""
    return CommandFailed("import.file", f"{path} cannot be read: {reason}", ExitCode.USAGE)


def _read_array(path: Path) -> list[Row]:
    found = orjson.loads(path.read_bytes())
    if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
        raise build_unreadable(path, "it has to be an array of objects")
    return found


def _read_lines(path: Path) -> Iterator[Row]:
    with path.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            if not line.strip():
                continue
            try:
                row = orjson.loads(line)
            except orjson.JSONDecodeError as error:
                raise build_unreadable(path, f"line {number}: {error}") from None
            if not isinstance(row, dict):
                raise build_unreadable(path, f"line {number} is not an object")
            yield row
