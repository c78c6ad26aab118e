"""Rows with another number of cells than the file has columns: why that may be. Pure."""

from collections.abc import Sequence
from typing import Final
from urllib.parse import quote

_SEPARATORS: Final = {";": "a semicolon", "\t": "a tab", "|": "a bar", ",": "a comma"}

_LONGEST: Final = 10_000
"""Characters of a row that is looked at."""


def separator_hint(cells: Sequence[str], expected: int | None = None) -> str:
    """Return what to do where another separator than the one asked for splits the cells; else nothing.

    ``expected``: so many cells there should be; without it, more than one.
    """
    text = "".join(cells[:2])
    if len(cells) > 1 or len(text) > _LONGEST:
        return ""
    for sign, name in _SEPARATORS.items():
        found = text.count(sign) + 1
        if found == expected or (expected is None and found > 1):
            return f"; the cells have {name} between them: send it as fieldSeparator ({quote(sign)} in a URL)"
    return ""


def width_hint(cells: Sequence[str], expected: int) -> str:
    """Return what to do about a row with another number of cells, where the row shows it; else nothing."""
    if len(cells) > expected > 0 and not any(cells[expected:]):
        return "; the row ends with separators behind its last cell: leave them out"
    return separator_hint(cells, expected)
