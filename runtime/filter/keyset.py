"""Keyset pagination: what comes after a row in an order, as ``Predicate``s, instead of counting rows.

The order of MongoDB for the values a sort can have: null and missing are equal and come first when
ascending, last when descending. Comparisons look at values of one type only, so that null has a range of its
own. Each range fixes the keys before its own, hence is one run of an index.

The ranges are read one after the other (``Store.find_page``), so that page 1,000 reads as many keys as page
1. As one ``$or`` the planner may read everything before the row instead, and remember to.
"""

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from runtime.filter.ordering import parse_sort
from runtime.filter.predicate import Predicate
from runtime.model.field_type import ValueKind
from runtime.model.paths import top_of
from runtime.model.record_type import RecordType

Keys = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class RowOrder:
    """A sort order. ``keys`` are stored paths with 1 or -1; no two rows share all of them.

    ``has_cursors``: whether sort values identify a place in it. Free-form values may be objects and lists,
    of which MongoDB compares a part, so an order by them has none. ``is_indexed``: whether an index gives
    the order, all of it or that of what equals in the fields before.
    """

    keys: Keys
    has_cursors: bool
    is_indexed: bool

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of the keys."""
        return tuple(path for path, _direction in self.keys)


@lru_cache(maxsize=1024)
def row_order(
    text: str | None, kind: RecordType[Any], hidden: frozenset[str], *, in_one_tenant: bool
) -> RowOrder:
    """Parse ``text`` into the order of a list, without keys that cannot matter.

    What follows keys that no two rows share decides nothing, and would keep their unique index from giving
    the order. ``in_one_tenant``: whether the rows are those of one tenant. Raises as ``parse_sort``.
    """
    keys = parse_sort(text, kind, hidden)
    seen: set[str] = set()
    for end, (path, _direction) in enumerate(keys, start=1):
        seen.add(path)
        if tells_apart(kind, seen, in_one_tenant=in_one_tenant):
            keys = keys[:end]
            break
    has_cursors = not any(_is_free_form(kind, path) for path, _direction in keys)
    return RowOrder(keys, has_cursors, _is_indexed(kind, keys))


def tells_apart(kind: RecordType[Any], paths: Set[str], *, in_one_tenant: bool) -> bool:
    """Whether no two records, of one tenant or of all, have the same values at all of these stored paths."""
    return "_id" in paths or any(unique <= paths for unique in _unique_keys(kind, in_one_tenant))


def after(order: Keys, values: Sequence[Any]) -> tuple[Predicate, ...]:
    """Match the ranges after the row with these sort values (stored values, None for null and missing).

    Every row of one range precedes every row of the next; after the very last row there are no ranges.
    """
    ranges: list[Predicate] = []
    same: dict[str, Any] = {}
    for (path, direction), value in zip(order, values, strict=True):
        ranges[:0] = [Predicate({**same, path: beyond}) for beyond in _beyond(path, direction, value)]
        same[path] = value
    return tuple(ranges)


def _beyond(path: str, direction: int, value: Any) -> Iterator[Any]:
    if value is None:
        if direction > 0:
            yield {"$ne": None}
    elif direction > 0:
        yield {"$gt": value}
    else:
        yield {"$lt": value}
        if path != "_id":
            yield None


def _is_free_form(kind: RecordType[Any], path: str) -> bool:
    return path != "_id" and kind.field_at(path).kind is ValueKind.JSON


def _is_indexed(kind: RecordType[Any], keys: Keys) -> bool:
    own = tuple(key for key in keys if key[0] != "_id")
    if any(top_of(path) in kind.renamed for path, _direction in own):
        return False  # an order by two members, of which each record has one
    turned = tuple((path, -direction) for path, direction in own)
    runs = [(("refName", 1),), *(index.keys for index in kind.indexes if not index.per_realm)]
    return any(run[at : at + len(own)] in (own, turned) for run in runs for at in range(len(run)))


def _unique_keys(kind: RecordType[Any], in_one_tenant: bool) -> Iterator[set[str]]:
    """Yield the paths that distinguish records: of unique indexes over fields that every record has."""
    if in_one_tenant:
        yield {"refName"}
    for index in kind.indexes:
        paths = {path for path, _direction in index.keys}
        if index.unique and paths <= kind.required and (in_one_tenant or index.per_realm):
            yield paths
