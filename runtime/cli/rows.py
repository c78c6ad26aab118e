"""Rows to import, from a file: CSV with a header, JSON (an array of objects) or one JSON object a line.

A CSV header names fields as on the wire; ``address.city`` is a member of a nested object. Cells are text:
the JSON Schema of the record type says what they are to be. Empty cells are left out. A cell that does
not read as its type is sent as it is, so that the service says what is wrong with it.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import orjson

from runtime.cli.output import CommandFailed, Outcome

Row = dict[str, Any]
SUFFIXES = (".csv", ".json", ".ndjson", ".jsonl")


@dataclass(frozen=True, slots=True)
class Source:
    """``count`` rows; ``rows`` begins anew at each call. Row numbers count from 1."""

    name: str
    count: int
    rows: Callable[[], Iterable[Row]]


def file_source(path: Path, schema: Mapping[str, Any]) -> Source:
    """Raises ``CommandFailed`` (usage) for a file that is missing, of another kind, or cannot be read."""
    readers: dict[str, Callable[[], Iterable[Row]]] = {
        ".csv": lambda: _csv(path, schema),
        ".json": lambda: _json(path),
        ".ndjson": lambda: _lines(path),
        ".jsonl": lambda: _lines(path),
    }
    read = readers.get(path.suffix.lower())
    if read is None:
        raise unreadable(path, f"it ends in none of {', '.join(SUFFIXES)}")
    try:
        return Source(path.name, sum(1 for _row in read()), read)
    except (OSError, UnicodeDecodeError, csv.Error, orjson.JSONDecodeError) as error:
        raise unreadable(path, getattr(error, "strerror", None) or str(error)) from error


def unreadable(path: Path, reason: str) -> CommandFailed:
    """The file, and why not."""
    return CommandFailed("import.file", f"{path} cannot be read: {reason}", Outcome.USAGE)


def _csv(path: Path, schema: Mapping[str, Any]) -> Iterator[Row]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        reader = csv.reader(stream, strict=True)
        header = next(reader, None)
        if not header:
            raise unreadable(path, "its first line has to name the fields")
        readers = [_reader(schema, name.strip()) for name in header]
        for cells in reader:
            if not cells:
                continue
            if len(cells) != len(header):
                wanted = f"{len(header)} cells as in the header"
                raise unreadable(path, f"line {reader.line_num} has {len(cells)} cells, not {wanted}")
            row: Row = {}
            for name, read, cell in zip(header, readers, cells, strict=True):
                if cell != "":
                    _put(row, name.strip().split("."), read(cell))
            yield row


def _json(path: Path) -> list[Row]:
    found = orjson.loads(path.read_bytes())
    if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
        raise unreadable(path, "it has to be an array of objects")
    return found


def _lines(path: Path) -> Iterator[Row]:
    with path.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            if not line.strip():
                continue
            try:
                row = orjson.loads(line)
            except orjson.JSONDecodeError as error:
                raise unreadable(path, f"line {number}: {error}") from None
            if not isinstance(row, dict):
                raise unreadable(path, f"line {number} is not an object")
            yield row


def _put(row: Row, steps: list[str], value: Any) -> None:
    for step in steps[:-1]:
        row = row.setdefault(step, {})
    row[steps[-1]] = value


def _reader(schema: Mapping[str, Any], path: str) -> Callable[[str], Any]:
    """How the cells of a column are read."""
    here: Mapping[str, Any] = schema
    for step in path.split("."):
        here = _resolved(schema, _resolved(schema, here).get("properties", {}).get(step, {}))
    return _READERS.get(str(here.get("type")), _as_text)


def _resolved(schema: Mapping[str, Any], here: Mapping[str, Any]) -> Mapping[str, Any]:
    """Behind ``$ref``, and without the null of an optional field."""
    if "anyOf" in here:
        here = next((option for option in here["anyOf"] if option.get("type") != "null"), {})
    if "$ref" in here:
        here = schema.get("$defs", {}).get(str(here["$ref"]).rpartition("/")[2], {})
    return here


def _as_text(cell: str) -> Any:
    return cell


def _as_number(cell: str) -> Any:
    for read in (int, float):
        with suppress(ValueError):
            return read(cell)
    return cell


def _as_boolean(cell: str) -> Any:
    return {"true": True, "false": False}.get(cell.strip().lower(), cell)


def _as_json(cell: str) -> Any:
    try:
        return orjson.loads(cell)
    except orjson.JSONDecodeError:
        return cell


_READERS: Mapping[str, Callable[[str], Any]] = {
    "integer": _as_number,
    "number": _as_number,
    "boolean": _as_boolean,
    "array": _as_json,
    "object": _as_json,
}
