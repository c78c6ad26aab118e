"""The items of a ``[0]`` list, from the rows of a record. Pure.

An empty cell may mean no value, an empty text or an empty list. What is stored in its place decides, so that
a file that was exported may be imported again without a change.
"""

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Any


class Items(list[Any]):
    """One item for each row of a record; None for a row whose cells of the list are all empty.

    ``steps``: where the columns of the file stand in an item; empty for a file of which that is not known.
    """

    def __init__(self, items: Iterable[Any] = (), steps: Sequence[Sequence[str]] = ()) -> None:
        super().__init__(items)
        self.steps = steps

    def onto(self, stored: Any) -> list[Any] | None:
        """Return the list, with stored empty values in the places of empty cells; None for no items at all.

        ``stored`` fills the places of empty cells where its value is written as one; other empty rows are not
        items.
        """
        there = stored[: len(self)] if isinstance(stored, list) else []
        filled = [_fill(sent, kept) for sent, kept in zip_longest(self, there)]
        return [one for one in filled if one is not None] or None


def _is_blank(value: Any) -> bool:
    """Return whether a stored value is written as an empty cell, or as nothing but empty cells."""
    if isinstance(value, dict):
        return all(map(_is_blank, value.values()))
    return value is None or value == "" or value == []


def _fill(sent: Any, kept: Any) -> Any:
    if sent is None:
        return kept if _is_blank(kept) else None
    if isinstance(sent, dict) and isinstance(kept, dict):
        whole = {name: _fill(sent.get(name), value) for name, value in kept.items()} | {
            name: value for name, value in sent.items() if name not in kept
        }
        return {
            name: value
            for name, value in whole.items()
            if value is not None or (name in sent and not _is_blank(kept.get(name)))  # which it clears
        }
    return sent
