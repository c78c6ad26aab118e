"""Whether a record matches, without asking the store: for records that are not stored yet.

MongoDB's own meaning of the operators that this package writes (``mongo.py``, ``conditions.py``,
``resource.py``, ``predicate.py``), lists included; any other operator is a mistake of the program, never
of a caller. The document is as stored: wire names, ``_id``, BSON values.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from bson import Decimal128, ObjectId
from bson.regex import Regex

from runtime.decimals import as_decimal
from runtime.filter.own_id import has_own_id
from runtime.filter.path import MISSING, arrays_at, values_at
from runtime.filter.predicate import Predicate
from runtime.filter.wildcard import is_found

_Test = Callable[[Any], bool]


def admits(predicate: Predicate, document: Mapping[str, Any]) -> bool:
    """Whether MongoDB would find the document with this predicate.

    Raises ``ValueError`` for what cannot be told of one document: text search, foreign operators.
    """
    return _matches(predicate.match, document)


def _matches(match: Mapping[str, Any], document: Any) -> bool:
    return all(_holds(key, condition, document) for key, condition in match.items())


def _holds(key: str, condition: Any, document: Any) -> bool:
    match key:
        case "$and":
            return all(_matches(inner, document) for inner in condition)
        case "$or":
            return any(_matches(inner, document) for inner in condition)
        case "$nor":
            return not any(_matches(inner, document) for inner in condition)
        case "$expr":
            return _expression_holds(condition, document)
    if key.startswith("$"):
        raise ValueError(f"{key} cannot be told of one document")
    if not _is_operators(condition):
        condition = {"$eq": condition}
    return all(_at(key, operator, operand, document) for operator, operand in condition.items())


def _at(path: str, operator: str, operand: Any, document: Any) -> bool:
    """One operator at a path: any of the values there, or, negated, none of them."""
    if operator == "$not":
        return not all(_at(path, inner, value, document) for inner, value in operand.items())
    if operator in _NEGATED:
        return not _at(path, _NEGATED[operator], operand, document)
    if operator == "$elemMatch":
        return any(_element(operand, array) for array in arrays_at(document, path))
    return any(map(_test(operator, operand), values_at(document, path)))


def _element(condition: Mapping[str, Any], array: Iterable[Any]) -> bool:
    """Whether one element meets all of it: operators on the element itself, or a match of what is inside."""
    if _is_operators(condition):
        return any(_meets(condition, element) for element in array)
    return any(_matches(condition, element) for element in array if isinstance(element, Mapping | list))


def _meets(condition: Mapping[str, Any], value: Any) -> bool:
    """Operators on one value, which is not looked into."""
    return all(_one(operator, operand, value) for operator, operand in condition.items())


def _one(operator: str, operand: Any, value: Any) -> bool:
    if operator == "$not":
        return not _meets(operand, value)
    if operator in _NEGATED:
        return not _one(_NEGATED[operator], operand, value)
    if operator == "$elemMatch":
        return isinstance(value, list) and _element(operand, value)
    return _test(operator, operand)(value)


def _is_operators(condition: Any) -> bool:
    first = next(iter(condition), "") if isinstance(condition, Mapping) else ""
    return first.startswith("$") and first not in ("$and", "$or", "$nor")


_NEGATED: Final = {"$ne": "$eq", "$nin": "$in"}


def _test(operator: str, operand: Any) -> _Test:
    make = _TESTS.get(operator)
    if make is None:
        raise ValueError(f"{operator} cannot be told of one document")
    return make(operand)


def _equal(operand: Any) -> _Test:
    kind, wanted = _comparable(operand)
    if kind == "null":
        return lambda value: value is None or value is MISSING
    return lambda value: _comparable(value) == (kind, wanted)


def _among(operands: Iterable[Any]) -> _Test:
    patterns = [operand for operand in operands if isinstance(operand, Regex)]
    tests = [_like(pattern) for pattern in patterns]
    tests += [_equal(operand) for operand in operands if not isinstance(operand, Regex)]
    return lambda value: any(test(value) for test in tests)


def _ordered(holds: Callable[[Any, Any], bool]) -> Callable[[Any], _Test]:
    def test(operand: Any) -> _Test:
        kind, bound = _comparable(operand)

        def within(value: Any) -> bool:
            its_kind, its_value = _comparable(value)
            return its_kind == kind and holds(its_value, bound)

        return within

    return test


def _like(pattern: Regex[str]) -> _Test:
    return lambda value: isinstance(value, str) and is_found(pattern, value)


def _of_type(names: Iterable[str]) -> _Test:
    wanted = {*names, _NAN[0]} if "number" in names else {*names}
    return lambda value: _type(value) in wanted


def _type(value: Any) -> str:
    if isinstance(value, list):
        return "array"
    if isinstance(value, Mapping):
        return "object"
    return _comparable(value)[0]


_NAN: Final = ("not a number", None)  # a number that is neither equal nor less nor greater


def _comparable(value: Any) -> tuple[str, Any]:
    """The kind within which MongoDB compares a value, and what to compare."""
    match value:
        case None:
            return "null", None
        case bool():
            return "bool", value
        case int():
            return "number", value
        case float():
            return _NAN if math.isnan(value) else ("number", value)
        case Decimal128():
            number = as_decimal(value)
            return _NAN if number.is_nan() else ("number", number)
        case str():
            return "string", value
        case datetime():
            return "date", _moment(value)
        case ObjectId():
            return "objectId", value
        case _:
            return "other", _Unlike()


def _moment(value: datetime) -> datetime:
    """In UTC and as finely as the store keeps it."""
    utc = value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
    return utc.replace(microsecond=utc.microsecond // 1000 * 1000)


class _Unlike:
    """Equal to nothing: what no literal can be."""


def _expression_holds(expression: Mapping[str, Any], document: Any) -> bool:
    """The expressions we write: the id as text against a pattern (``resource.py``), a field that holds the id
    (``own_id.py``)."""
    match expression:
        case {"$eq": [str() as path, own]}:
            return has_own_id(path, own, document)
        case {"$regexMatch": {"input": {"$toString": "$_id"}, "regex": Regex() as pattern}}:
            return is_found(pattern, str(document["_id"]))
    raise ValueError("only expressions of filter.resource and own_id can be told of one document")


_TESTS: Final[Mapping[str, Callable[[Any], _Test]]] = {
    "$eq": _equal,
    "$in": _among,
    "$gt": _ordered(lambda value, bound: value > bound),
    "$gte": _ordered(lambda value, bound: value >= bound),
    "$lt": _ordered(lambda value, bound: value < bound),
    "$lte": _ordered(lambda value, bound: value <= bound),
    "$regex": _like,
    "$type": _of_type,
}
