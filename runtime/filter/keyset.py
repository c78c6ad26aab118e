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
from typing import Any, Final

from runtime.filter.order import SCORE, Keys, Order
from runtime.filter.ordering import parse_order
from runtime.filter.predicate import EVERYTHING, Predicate
from runtime.model.field_type import ValueKind
from runtime.model.paths import top_of
from runtime.model.record_type import Index, RecordType

_OF_EACH: Final = Index((("refName", 1),), unique=True)


@dataclass(frozen=True, slots=True)
class RowOrder:
    """The order of a list; no two rows share all of its keys.

    ``has_cursors``: whether sort values identify a place in it. Free-form values may be objects and lists,
    of which MongoDB compares a part, so an order by them has none. ``is_indexed``: whether an index gives
    the order, all of it or that of what equals in the fields before.
    """

    order: Order
    has_cursors: bool
    is_indexed: bool

    @property
    def keys(self) -> Keys:
        """Stored paths with 1 or -1."""
        return self.order.keys

    @property
    def paths(self) -> tuple[str, ...]:
        return tuple(path for path, _direction in self.keys)

    @property
    def inside(self) -> Order:
        """The order inside each range that ``after`` and ``ranges`` return.

        Where an index gives it, no range has nulls and other values of a field that places its nulls.
        """
        return Order(self.keys, self.order.language) if self.is_indexed else self.order

    @property
    def ranges(self) -> tuple[Predicate, ...]:
        """The ranges that all rows are in, in turn: one, unless an index has its nulls at the other end."""
        if not self.is_indexed or not self.order.moved:
            return (EVERYTHING,)
        ((path, direction), *_) = self.keys
        nulls, others = Predicate({path: None}), Predicate({path: {"$ne": None}})
        return (others, nulls) if direction > 0 else (nulls, others)

    def after(self, values: Sequence[Any]) -> tuple[Predicate, ...]:
        """Match the ranges after the row with these sort values."""
        return after(self.keys, values, self.order.moved)


@lru_cache(maxsize=1024)
def row_order(
    text: str | None, kind: RecordType[Any], hidden: frozenset[str], *, in_one_tenant: bool
) -> RowOrder:
    """Parse ``text`` into the order of a list, without keys that cannot matter.

    What follows keys that no two rows share decides nothing, and would keep their unique index from giving
    the order. ``in_one_tenant``: whether the rows are those of one tenant. Raises as ``parse_sort``.
    """
    order = parse_order(text, kind, hidden)
    keys, seen = order.keys, set[str]()
    for end, (path, _direction) in enumerate(keys, start=1):
        seen.add(path)
        if (path == "_id" or not order.language) and tells_apart(kind, seen, in_one_tenant=in_one_tenant):
            keys = keys[:end]  # in an order without case unique values may be equal
            break
    order = order.with_keys(keys)
    has_cursors = not any(_is_free_form(kind, path) for path, _direction in keys)
    return RowOrder(order, has_cursors, _is_indexed(kind, order))


def tells_apart(kind: RecordType[Any], paths: Set[str], *, in_one_tenant: bool) -> bool:
    """Whether no two records, of one tenant or of all, have the same values at all of these stored paths."""
    return "_id" in paths or any(unique <= paths for unique in _unique_keys(kind, in_one_tenant))


def after(order: Keys, values: Sequence[Any], moved: Set[str] = frozenset()) -> tuple[Predicate, ...]:
    """Match the ranges after the row with these sort values (stored values, None for null and missing).

    ``moved``: the paths whose nulls are at the other end.

    Every row of one range precedes every row of the next; after the very last row there are no ranges.
    """
    ranges: list[Predicate] = []
    same: dict[str, Any] = {}
    for (path, direction), value in zip(order, values, strict=True):
        has_nulls_last = (direction < 0) != (path in moved)
        beyond = _beyond(path, direction, value, has_nulls_last=has_nulls_last)
        ranges[:0] = [Predicate({**same, path: one}) for one in beyond]
        same[path] = value
    return tuple(ranges)


def _beyond(path: str, direction: int, value: Any, *, has_nulls_last: bool) -> Iterator[Any]:
    if value is not None:
        yield {"$gt" if direction > 0 else "$lt": value}
        if has_nulls_last and path != "_id":
            yield None
    elif not has_nulls_last:
        yield {"$ne": None}


def _is_free_form(kind: RecordType[Any], path: str) -> bool:
    return path not in ("_id", SCORE) and kind.field_at(path).kind is ValueKind.JSON


def _is_indexed(kind: RecordType[Any], order: Order) -> bool:
    own = tuple(key for key in order.keys if key[0] != "_id")
    if not order.moved <= {path for path, _direction in own[:1]}:
        return False  # inside the ranges of the fields before it
    if any(top_of(path) in kind.renamed for path, _direction in own):
        return False  # an order by two members, of which each record has one
    turned = tuple((path, -direction) for path, direction in own)
    runs = [index.keys for index in (_OF_EACH, *kind.indexes) if _serves(index, order.language)]
    return any(run[at : at + len(own)] in (own, turned) for run in runs for at in range(len(run)))


def _serves(index: Index, language: str | None) -> bool:
    return not index.per_realm and index.language == language


def _unique_keys(kind: RecordType[Any], in_one_tenant: bool) -> Iterator[set[str]]:
    """Yield the paths that distinguish records: of unique indexes over fields that every record has."""
    if in_one_tenant:
        yield {"refName"}
    for index in kind.indexes:
        paths = {path for path, _direction in index.keys}
        if index.unique and paths <= kind.required and (in_one_tenant or index.per_realm):
            yield paths
