"""Groups of records: the typed question, and the stages it becomes.

Columns have names of the store's own (``k0`` for the first key, ``m0`` for the first measure), so no name of
a caller is ever a field of a stage. Each path is located here once more, under the ``Access``: a hidden field
cannot be grouped by, whatever the plan says.

A key through a list groups the elements (``$unwind``; records with none are in the group of null). A measure
through a list that no key leads through takes all elements of a record together: it multiplies nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from runtime.filter import EVERYTHING, Field, Predicate, locate
from runtime.model.paths import is_within
from runtime.storage.access import Access
from runtime.storage.store.date_units import Unit, build_unit
from runtime.storage.store.spellings import Stages, decide, widen

MOST_GROUPS: Final = 100_000
NUMBER: Final = "number"
ROWS: Final = "rows"


class Function(StrEnum):
    """What is worked out of a group."""

    COUNT = "count"
    COUNT_DISTINCT = "countDistinct"
    SUM = "sum"
    AVG = "avg"
    MIN = "min"
    MAX = "max"


@dataclass(frozen=True, slots=True)
class Key:
    """A field by which records are grouped; ``unit``: dates by years, months and so on."""

    path: str
    unit: Unit | None = None


@dataclass(frozen=True, slots=True)
class Measure:
    """What is worked out of each group; ``path`` is None for the number of records (or elements)."""

    function: Function
    path: str | None = None


@dataclass(frozen=True, slots=True)
class Grouping:
    """What records are grouped by, what is worked out, and which of the groups are returned.

    ``having`` and ``order`` name columns: ``k0``, ``m0``, and ``_id`` for all keys together.
    """

    keys: tuple[Key, ...]
    measures: tuple[Measure, ...]
    time_zone: str = "UTC"
    having: Predicate = field(default=EVERYTHING)
    order: tuple[tuple[str, int], ...] = (("_id", 1),)
    skip: int = 0
    limit: int = 0


def key_column(at: int) -> str:
    """Return the name of the column of a key."""
    return f"k{at}"


def measure_column(at: int) -> str:
    """Return the name of the column of a measure."""
    return f"m{at}"


def build_group_stages(access: Access[Any], match: Predicate, grouping: Grouping) -> Stages:
    """Build the stages of an aggregate. They return one document, with its rows and the number of groups."""
    lists = find_unwound(access, grouping.keys)
    places = [_locate(access, key.path) for key in grouping.keys]
    measures = [_Measured(access, one, lists) for one in grouping.measures]
    keys: dict[str, Any] = {}
    shown: dict[str, Any] = {}
    copied: dict[str, Any] = {}
    for at, (key, place) in enumerate(zip(grouping.keys, places, strict=True)):
        name = key_column(at)
        keys[name] = _build_key(key, place, grouping.time_zone)
        copied |= {f"{name}_{part}": {"$max": f"${path}"} for part, path in _copied_names(access, place)}
        shown[name] = _show_key(access, name, place)
    accumulated = {
        f"{measure_column(at)}{part}": one
        for at, measure in enumerate(measures)
        for part, one in measure.accumulators.items()
    }
    shown |= {measure_column(at): measure.show(measure_column(at)) for at, measure in enumerate(measures)}
    rows: Stages = [
        *([{"$match": dict(grouping.having.match)}] if grouping.having.match else ()),
        {"$sort": dict(grouping.order)},
        *([{"$skip": grouping.skip}] if grouping.skip else ()),
        {"$limit": grouping.limit},
    ]
    return [
        {"$match": widen(access, access.scoped(match))},
        *decide(access, access.scoped(match)),
        *({"$unwind": {"path": f"${path}", "preserveNullAndEmptyArrays": True}} for path in lists),
        {"$group": {"_id": keys or None, **copied, **accumulated}},
        {"$limit": MOST_GROUPS + 1},
        *([{"$project": shown}] if shown else ()),
        {"$facet": {ROWS: rows, NUMBER: [{"$count": NUMBER}]}},
    ]


def find_unwound(access: Access[Any], keys: Sequence[Key]) -> list[str]:
    """Return the stored paths of the lists that keys lead through, outermost first."""
    found = {path for key in keys for path in _locate(access, key.path).lists}
    return sorted(found, key=lambda path: (path.count("."), path))


def _locate(access: Access[Any], path: str) -> Field:
    found = locate(access.kind, path, access.hidden)
    if not found.element.is_reference and any(is_within(one, (found.path,)) for one in access.hidden):
        raise access.kind.unknown_field(path, path, [])
    return found


def _stored_path(place: Field) -> str:
    return f"{place.path}.entityId" if place.element.is_reference else place.path


def _build_key(key: Key, place: Field, time_zone: str) -> Any:
    if key.unit is not None:
        return build_unit(f"${place.path}", place.element.kind, key.unit, time_zone)
    return {"$ifNull": [f"${_stored_path(place)}", None]}


def _copied_names(access: Access[Any], place: Field) -> list[tuple[str, str]]:
    """Return the names in a reference that the caller may see, and where they are."""
    if not place.element.is_reference:
        return []
    names = ("entityType", "entityRefName", "entityDisplayName")
    return [
        (name, f"{place.path}.{name}")
        for name in names
        if not is_within(f"{place.path}.{name}", access.hidden)
    ]


def _show_key(access: Access[Any], name: str, place: Field) -> Any:
    value = f"$_id.{name}"
    if not place.element.is_reference:
        return value
    copied = {part: f"${name}_{part}" for part, _path in _copied_names(access, place)}
    return {"$cond": [{"$eq": [value, None]}, None, {"entityId": value, **copied}]}


class _Measured:
    """The accumulators of one measure, and how its value follows from them."""

    def __init__(self, access: Access[Any], measure: Measure, unwound: Sequence[str]) -> None:
        self._function = measure.function
        self._through: list[str] = []
        self._value: Any = None
        if measure.path is not None:
            place = _locate(access, measure.path)
            self._through = [path for path in place.lists if path not in unwound]
            self._value = f"${_stored_path(place)}"
        if self._through:
            self._value = _flatten(self._value, len(self._through))

    @property
    def accumulators(self) -> dict[str, Any]:
        """Suffix → accumulator; most measures need one."""
        value = self._value
        if self._function is Function.COUNT:
            return {"": {"$sum": 1 if value is None else self._number}}
        if self._function is Function.COUNT_DISTINCT:
            return {"": {"$addToSet": value}}
        if self._function is Function.AVG and self._through:
            number = _size_of(value, {"$isNumber": "$$this"})
            return {"_sum": {"$sum": {"$sum": value}}, "_number": {"$sum": number}}
        operator = f"${self._function}"
        return {"": {operator: {operator: value} if self._through else value}}

    def show(self, name: str) -> Any:
        """Return the value, once the accumulators are complete."""
        if self._function is Function.COUNT_DISTINCT:
            return {"$size": {"$setDifference": [f"${name}", [None]]}}
        if self._function is Function.AVG and self._through:
            parts = [f"${name}_sum", f"${name}_number"]
            return {"$cond": [{"$eq": [parts[1], 0]}, None, {"$divide": parts}]}
        return f"${name}"

    @property
    def _number(self) -> Any:
        """Work out how many values a record has."""
        if not self._through:
            return {"$cond": [{"$gt": [self._value, None]}, 1, 0]}
        return _size_of(self._value, {"$gt": ["$$this", None]})


def _size_of(values: Any, condition: Any) -> Any:
    """Count the elements of a list that meet a condition; there may be no list."""
    return {"$size": {"$filter": {"input": {"$ifNull": [values, []]}, "cond": condition}}}


def _flatten(value: Any, levels: int) -> Any:
    """Return all elements of lists in lists as one list; null or nothing where there is none."""
    for _level in range(levels - 1):
        joined = {"$concatArrays": ["$$value", {"$ifNull": ["$$this", []]}]}
        value = {"$reduce": {"input": value, "initialValue": [], "in": joined}}
    return value
