"""Which column of a file fills a field. Pure.

The fields of all columns are indexed once for a file, since each error of each row looks for its column.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Final

_STEPS: Final = ".["
"""What begins a further step of a dotted path."""


class ColumnFinder:
    """Finds the first of some ``names``, which are dotted fields, that is about a field."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._places: dict[str, int] = {}
        self._inside: dict[str, int] = {}
        for place, name in enumerate(names):
            self._places.setdefault(name, place)
            for end, sign in enumerate(name):
                if sign == ".":
                    self._inside.setdefault(name[:end], place)

    def find(self, path: str) -> str | None:
        """Return the name of a field or of what it is inside of; else one of something inside the field."""
        ends = [*(end for end, sign in enumerate(path) if sign in _STEPS), len(path)]
        around = [self._places[path[:end]] for end in ends if path[:end] in self._places]
        place = min(around) if around else self._inside.get(path)
        return None if place is None else self._names[place]


def find_column(sources: Mapping[str, str], path: str) -> str | None:
    """Return the column that fills a field, or something inside it. ``sources``: field → column."""
    name = _index(tuple(sources)).find(path)
    return None if name is None else sources[name]


@lru_cache(maxsize=16)
def _index(names: tuple[str, ...]) -> ColumnFinder:
    return ColumnFinder(names)
