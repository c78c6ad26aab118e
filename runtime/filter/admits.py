"""Whether a record matches, without asking the store: for records that are not stored yet.

MongoDB's own meaning of the operators that this package writes (``mongo.py``, ``conditions.py``,
``resource.py``, ``predicate.py``), lists included; any other operator is a mistake of the program, never of
a caller. The document is as stored: wire names, ``_id``, BSON values.

The test compiled from a predicate is stored in it: constraints and rules check one record after another.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from bson import Decimal128, ObjectId
from bson.regex import Regex

from runtime.fast.decimals import as_decimal
from runtime.filter.own_id import has_own_id
from runtime.filter.path import MISSING, arrays_at, values_at
from runtime.filter.predicate import Predicate
from runtime.filter.two_fields import holds_between
from runtime.filter.wildcard import is_for_mongodb, is_found
from runtime.model.clock import as_stored

_Test = Callable[[Any], bool]


def admits(predicate: Predicate, document: Mapping[str, Any]) -> bool:
    """Whether MongoDB would find the document with this predicate.

    Raises ``ValueError`` for what one document cannot decide: text search, foreign operators.
    """
    test = predicate.test
    if test is None:
        test = _test_match(predicate.match)
        object.__setattr__(predicate, "test", test)  # frozen as it is: this follows from what it holds
    return test(document)


def _test_match(match: Mapping[str, Any]) -> _Test:
    return _test_all([_test_condition(key, condition) for key, condition in match.items()])


def _test_condition(key: str, condition: Any) -> _Test:
    match key:
        case "$and":
            return _test_all([_test_match(inner) for inner in condition])
        case "$or":
            return _test_any([_test_match(inner) for inner in condition])
        case "$nor":
            return _test_not(_test_any([_test_match(inner) for inner in condition]))
        case "$expr":
            return _test_expression(condition)
    if key.startswith("$"):
        raise ValueError(f"{key} cannot be decided on one document")
    if not _is_operators(condition):
        condition = {"$eq": condition}
    return _test_all([_test_at(key, operator, operand) for operator, operand in condition.items()])


def _test_all(tests: Sequence[_Test]) -> _Test:
    return tests[0] if len(tests) == 1 else lambda value: all(test(value) for test in tests)


def _test_any(tests: Sequence[_Test]) -> _Test:
    return tests[0] if len(tests) == 1 else lambda value: any(test(value) for test in tests)


def _test_not(test: _Test) -> _Test:
    return lambda value: not test(value)


def _test_at(path: str, operator: str, operand: Any) -> _Test:
    """Test an operator at a path: it holds for any of the values there, or, negated, for none."""
    if operator == "$not":
        return _test_not(_test_all([_test_at(path, inner, value) for inner, value in operand.items()]))
    if operator in _NEGATED:
        return _test_not(_test_at(path, _NEGATED[operator], operand))
    if operator == "$exists" and not operand:
        return _test_not(_test_at(path, operator, True))
    if operator == "$size":
        return lambda document: any(len(array) == operand for array in arrays_at(document, path))
    if operator == "$elemMatch":
        has_element = _test_element(operand)
        return lambda document: any(map(has_element, arrays_at(document, path)))
    test = _test(operator, operand)
    return lambda document: any(map(test, values_at(document, path)))


def _test_element(condition: Mapping[str, Any]) -> Callable[[Iterable[Any]], bool]:
    """Whether one element meets all of it: operators on the element itself, or a match of what is inside."""
    if _is_operators(condition):
        meets = _test_value(condition)
        return lambda array: any(map(meets, array))
    matches = _test_match(condition)
    return lambda array: any(matches(element) for element in array if isinstance(element, Mapping | list))


def _test_value(condition: Mapping[str, Any]) -> _Test:
    """Test operators on one value, and not on what is inside."""
    return _test_all([_test_one(operator, operand) for operator, operand in condition.items()])


def _test_one(operator: str, operand: Any) -> _Test:
    if operator == "$not":
        return _test_not(_test_value(operand))
    if operator in _NEGATED:
        return _test_not(_test_one(_NEGATED[operator], operand))
    if operator == "$elemMatch":
        has_element = _test_element(operand)
        return lambda value: isinstance(value, list) and has_element(value)
    if operator == "$size":
        return lambda value: isinstance(value, list) and len(value) == operand
    return _test(operator, operand)


def _is_operators(condition: Any) -> bool:
    first = next(iter(condition), "") if isinstance(condition, Mapping) else ""
    return first.startswith("$") and first not in ("$and", "$or", "$nor")


_NEGATED: Final = {"$ne": "$eq", "$nin": "$in"}


def _test(operator: str, operand: Any) -> _Test:
    make = _TESTS.get(operator)
    if make is None:
        raise ValueError(f"{operator} cannot be decided on one document")
    return make(operand)


def _test_equal(operand: Any) -> _Test:
    kind, wanted = _decidable(operand)
    if kind == "null":
        return lambda value: value is None or value is MISSING
    return lambda value: _comparable(value) == (kind, wanted)


def _test_among(operands: Iterable[Any]) -> _Test:
    tests = [_test_pattern(operand) for operand in operands if isinstance(operand, Regex)]
    wanted = {_decidable(operand) for operand in operands if not isinstance(operand, Regex)}
    if ("null", None) in wanted:
        tests.append(lambda value: value is MISSING)
    if wanted:
        tests.append(lambda value: _comparable(value) in wanted)
    return _test_any(tests)


def _test_order(holds: Callable[[Any, Any], bool]) -> Callable[[Any], _Test]:
    def test(operand: Any) -> _Test:
        kind, bound = _decidable(operand)

        def within(value: Any) -> bool:
            its_kind, its_value = _comparable(value)
            return its_kind == kind and holds(its_value, bound)

        return within

    return test


def _test_pattern(pattern: Regex[str]) -> _Test:
    if is_for_mongodb(pattern):
        raise ValueError("a pattern over all letters cannot be decided on one document")
    return lambda value: isinstance(value, str) and is_found(pattern, value)


def _test_type(names: Iterable[str]) -> _Test:
    wanted = {*names, _NAN[0]} if "number" in names else {*names}
    return lambda value: _type(value) in wanted


def _type(value: Any) -> str:
    if isinstance(value, list):
        return "array"
    if isinstance(value, Mapping):
        return "object"
    return _comparable(value)[0]


_NAN: Final = ("not a number", None)  # a number that is neither equal nor less nor greater


_AS_THEY_ARE: Final[Mapping[type, str]] = {
    type(None): "null", str: "string", bool: "bool", int: "number", ObjectId: "objectId"
}  # fmt: skip


def _comparable(value: Any) -> tuple[str, Any]:
    """Return the kind within which MongoDB compares a value, and what to compare."""
    if (kind := _AS_THEY_ARE.get(type(value))) is not None:
        return kind, value
    match value:
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
            return "date", as_stored(value)
        case _:
            return "other", _Unlike()


def _decidable(operand: Any) -> tuple[str, Any]:
    """Return the kind and value of an operand. Raises ``ValueError`` for a type that is unknown here."""
    compared = _comparable(operand)
    if isinstance(compared[1], _Unlike):
        raise ValueError(f"a {type(operand).__name__} cannot be decided on one document")
    return compared


class _Unlike:
    """Equal to nothing: what no literal can be."""


def _test_expression(expression: Mapping[str, Any]) -> _Test:
    """Compile the expressions this package writes: on the id, on a field that holds it, on two fields.

    See ``resource.py``, ``own_id.py`` and ``two_fields.py``.
    """
    match expression:
        case {"$and": [{"$in": [_, [*types]]}, *_, comparison]}:
            return holds_between(comparison, types, _comparable)
        case {"$eq": [str() as path, own]}:
            return lambda document: has_own_id(path, own, document)
        case {"$regexMatch": {"input": {"$toString": "$_id"}, "regex": Regex() as pattern}}:
            return lambda document: is_found(pattern, str(document["_id"]))
    raise ValueError("only expressions of this package can be decided on one document")


_TESTS: Final[Mapping[str, Callable[[Any], _Test]]] = {
    "$eq": _test_equal,
    "$in": _test_among,
    "$gt": _test_order(lambda value, bound: value > bound),
    "$gte": _test_order(lambda value, bound: value >= bound),
    "$lt": _test_order(lambda value, bound: value < bound),
    "$lte": _test_order(lambda value, bound: value <= bound),
    "$regex": _test_pattern,
    "$exists": lambda operand: lambda value: (value is not MISSING) is operand,
    "$type": _test_type,
}
