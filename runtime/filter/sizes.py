"""How many elements a list has: ``lines.size:>3``.

``size`` behind a list is its number of elements, unless elements may have a member of that name. A list that
is missing or null has none; one inside an element that is missing is not there to be counted.

MongoDB compares a size only with one number, and only ``$exists`` of an element, which costs what walking to
that element costs, tells lists that are longer. Expressions could count, but not inside ``$elemMatch``.
"""

from typing import Any, Final

from runtime.errors import UnknownField
from runtime.filter.conditions import Operators
from runtime.filter.fields import Columns, Field, locate
from runtime.filter.placing import Match, Where, lists_around, within
from runtime.model.field_type import FieldType, ValueKind, inside
from runtime.model.record_type import RecordType

NUMBER_OF_ELEMENTS: Final = FieldType(ValueKind.INTEGER)

_STEP: Final = "size"
_ALWAYS: Final[Match] = {}
_NEVER: Final[Match] = {"_id": {"$in": []}}
_MISTAKEN: Final = frozenset({"length", "count", "len"})


def sized_list(path: str) -> str | None:
    """Return the path of the list whose number of elements a path may mean."""
    outer, _, step = path.rpartition(".")
    return outer if step == _STEP and outer else None


def has_size(found: Field) -> bool:
    """Whether ``size`` behind this field is a number of elements, not a member of them."""
    return found.type.kind is ValueKind.LIST and inside(found.type.innermost, _STEP) is None


def advise_size(kind: RecordType[Any] | Columns, prefix: str, path: str, hidden: frozenset[str]) -> str:
    """Say how a number of elements is written, for an unknown path that looks as if it meant one."""
    outer, _, step = path.rpartition(".")
    if step not in _MISTAKEN or not _is_sized(kind, prefix + outer, hidden):
        return ""
    return f"; the number of elements of a list is {outer}.{_STEP}"


def advise_filter(kind: RecordType[Any] | Columns, path: str, hidden: frozenset[str]) -> str:
    """Say that only filters know a number of elements, for a path elsewhere that means one."""
    outer = sized_list(path)
    is_sized = outer is not None and _is_sized(kind, outer, hidden)
    return f"; only a filter counts the elements of a list, as in {path}:>3" if is_sized else ""


def _is_sized(kind: RecordType[Any] | Columns, path: str, hidden: frozenset[str]) -> bool:
    try:
        return has_size(locate(kind, path, hidden))
    except UnknownField:
        return False


def match_size(found: Field, where: Where, operators: Operators) -> Match:
    """Match the records with a list at a place whose size meets one operator."""
    ((operator, number),) = operators.items()
    match operator:
        case "$in":
            return {"$or": [*(_equal(found, where, one) for one in number), _NEVER]}
        case "$ne":
            return {"$nor": [_equal(found, where, number)]}
        case _ if not isinstance(number, int):  # a variable without a value: the filter is undecided
            return _NEVER
        case "$eq":
            return _equal(found, where, number)
        case "$gt":
            return _at_least(found, where, number + 1)
        case "$gte":
            return _at_least(found, where, number)
        case "$lt":
            return _at_most(found, where, number - 1)
        case "$lte":
            return _at_most(found, where, number)
    raise ValueError(f"{operator} is not a comparison of numbers")


def _equal(found: Field, where: Where, number: Any) -> Match:
    if not isinstance(number, int) or number < 0:
        return _NEVER
    return {found.path[where.cut :]: {"$size": number}} if number else _at_most(found, where, 0)


def _at_least(found: Field, where: Where, number: int) -> Match:
    if number > 0:
        return {f"{found.path}.{number - 1}"[where.cut :]: {"$exists": True}}
    if not _lists_outside(found, where):
        return _ALWAYS
    return {"$or": [_at_least(found, where, 1), _at_most(found, where, 0)]}


def _at_most(found: Field, where: Where, number: int) -> Match:
    """Match the lists without an element behind the last; of lists in lists, any of them."""
    if number < 0:
        return _NEVER
    return within(f"{found.path}.{number}", _lists_outside(found, where), where.cut, {"$exists": False})


def _lists_outside(found: Field, where: Where) -> list[str]:
    """Return the lists that the list is in: without any element they have no size to compare."""
    return [path for path in lists_around(found, where) if path != found.path]
