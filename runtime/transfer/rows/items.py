"""What the rows of a record say of its ``[0]`` list (decisions §5). Pure.

An empty cell may stand for nothing, for an empty text or for an empty list. What is stored at its place
decides, so that a file that was exported may come back without a change.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import Any


class Items(list[Any]):
    """One item for each row of a record; None for a row whose cells of the list are all empty."""

    def onto(self, stored: Any) -> list[Any] | None:
        """The list, with what ``stored`` has in the places of empty cells where that is written as one; other
        empty rows are no items. None for no items at all."""
        there = stored[: len(self)] if isinstance(stored, list) else []
        filled = [_filled(told, kept) for told, kept in zip_longest(self, there)]
        return [one for one in filled if one is not None] or None


def _is_blank(value: Any) -> bool:
    """Whether a stored value is written as an empty cell, or as nothing but empty cells."""
    if isinstance(value, dict):
        return all(map(_is_blank, value.values()))
    return value is None or value == "" or value == []


def _filled(told: Any, kept: Any) -> Any:
    if told is None:
        return kept if _is_blank(kept) else None
    if isinstance(told, dict) and isinstance(kept, dict):
        whole = {name: _filled(told.get(name), value) for name, value in kept.items()} | {
            name: value for name, value in told.items() if name not in kept
        }
        return {name: value for name, value in whole.items() if value is not None}
    return told
