"""The values of a row ↔ how its session keeps them until the commit. Pure.

A list of path and value: paths have dots, which names of fields had better not have. What only the store
tells the type of (``Written``) is kept as the text it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from runtime.records.dynamic import Written

_PLAIN, _WRITTEN = 0, 1


def to_stored(values: Mapping[str, Any]) -> list[list[Any]]:
    """For the store; the other values are as stored already."""
    return [
        [path, _WRITTEN, value.text, value.quoted] if isinstance(value, Written) else [path, _PLAIN, value]
        for path, value in values.items()
    ]


def from_stored(entries: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """What ``to_stored`` was given."""
    return {entry[0]: Written(entry[2], entry[3]) if entry[1] == _WRITTEN else entry[2] for entry in entries}
