"""What a step does to one value, in the store and in memory: forward to the shape of now, and back.

Each operation is written twice, as an expression of MongoDB and in Python; a property compares the two. An
operation that meets a value in the shape of now leaves it as it is.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from decimal import Decimal
from math import inf, isfinite
from sys import float_info
from typing import Any, Final, Literal, Protocol

from bson import Decimal128

Expression = Any
"""An expression of MongoDB, which may evaluate to a missing value."""

MISSING: Final = object()  # in memory: no value

_LARGEST: Final = 2**53
"""Up to here each whole number is a double of its own."""

_WHOLE: Final = ("int", "long")

_ONE: Final = Decimal128("1.000000000000000")
"""Dividing by it removes the zeros at the end of the 15 digits of which MongoDB makes a decimal."""


class Operation(Protocol):
    """What a step does to the value of a field. ``x`` is an expression; ``is_new``: nobody has filled it.

    Back most leave a value as it is.
    """

    def express(self, x: Expression, is_new: Expression) -> Expression: ...
    def apply(self, value: Any, is_new: bool) -> Any: ...

    def express_back(self, x: Expression) -> Expression:
        return x

    def apply_back(self, value: Any) -> Any:
        return value


@dataclass(frozen=True, slots=True)
class Widen(Operation):
    """A number of a wider type. Back: the narrower one, where it can hold the value."""

    former: Literal["integer", "number"]
    to: Literal["number", "decimal"]

    def express(self, x: Expression, is_new: Expression) -> Expression:
        if self.to == "number":
            return _if(_is_type(x, *_WHOLE), {"$toDouble": x}, x)
        digits = _if(
            _is_whole_number(x), {"$toDecimal": {"$toLong": x}}, {"$divide": [{"$toDecimal": x}, _ONE]}
        )
        return _if(_is_type(x, *_WHOLE), {"$toDecimal": x}, _if(_is_type(x, "double"), digits, x))

    def express_back(self, x: Expression) -> Expression:
        if self.former == "integer":
            return _if({"$isNumber": x}, _if(_is_whole_number(x), {"$toLong": x}, x), x)
        near = _to_double(x, None)
        return _if(_is_type(x, "decimal"), _if({"$eq": [{"$toDecimal": near}, x]}, near, x), x)

    def apply(self, value: Any, is_new: bool) -> Any:
        if self.to == "number":
            return float(value) if _is_whole(value) else value
        if _is_whole(value):
            return Decimal128(str(int(value)))
        return Decimal128(_exact(value)) if type(value) is float else value

    def apply_back(self, value: Any) -> Any:
        if self.former == "integer":
            exact = value.to_decimal() if type(value) is Decimal128 else value
            if not isinstance(exact, Decimal | float):
                return value
            return int(exact) if _is_whole_and_small(exact) else value
        if type(value) is not Decimal128:
            return value
        exact = value.to_decimal()
        near = float(exact)
        return near if _is_near_double(exact) and _exact(near) == exact else value


@dataclass(frozen=True, slots=True)
class Enlist(Operation):
    """A list of one in place of a value. Back: the value of a list of one, nothing for an empty list."""

    def express(self, x: Expression, is_new: Expression) -> Expression:
        return _if({"$or": [{"$isArray": [x]}, _is_type(x, "missing", "null")]}, x, [x])

    def express_back(self, x: Expression) -> Expression:
        least = {"$lte": [{"$size": x}, 1]}
        return _if({"$isArray": [x]}, _if(least, {"$arrayElemAt": [x, 0]}, x), x)

    def apply(self, value: Any, is_new: bool) -> Any:
        return value if isinstance(value, list) or value in (None, MISSING) else [value]

    def apply_back(self, value: Any) -> Any:
        if not isinstance(value, list) or len(value) > 1:
            return value
        return value[0] if value else MISSING


@dataclass(frozen=True, slots=True)
class Fill(Operation):
    """A value where there is none, once: what is cleared later stays cleared."""

    value: Any

    def express(self, x: Expression, is_new: Expression) -> Expression:
        return _if({"$and": [is_new, _is_type(x, "missing", "null")]}, {"$literal": self.value}, x)

    def apply(self, value: Any, is_new: bool) -> Any:
        return deepcopy(self.value) if is_new and value in (None, MISSING) else value


@dataclass(frozen=True, slots=True)
class Confine(Operation):
    """Nothing in place of a text that is not among these: a loss."""

    values: tuple[str, ...]

    def express(self, x: Expression, is_new: Expression) -> Expression:
        return _if({"$in": [x, {"$literal": list(self.values)}]}, x, "$$REMOVE")

    def apply(self, value: Any, is_new: bool) -> Any:
        return value if value in self.values else MISSING


_BSON: Final = {"string": "string", "boolean": "bool", "integer": "long", "number": "double"}


@dataclass(frozen=True, slots=True)
class Coerce(Operation):
    """A value of another type, where it is one of it, and nothing elsewhere: a loss. Of a list the first.

    ``to`` None: nothing in any case.
    """

    to: str | None

    def express(self, x: Expression, is_new: Expression) -> Expression:
        if self.to not in _BSON:
            return "$$REMOVE"
        first = _if({"$isArray": [x]}, {"$arrayElemAt": [x, 0]}, x)
        return {"$let": {"vars": {"first": first}, "in": self._express("$$first")}}

    def _express(self, x: Expression) -> Expression:
        if self.to == "integer":
            fits: Expression = {"$and": [{"$isNumber": x}, _if({"$isNumber": x}, _is_whole_number(x), False)]}
            return _if(fits, {"$toLong": x}, "$$REMOVE")
        if self.to == "number":
            return _if({"$isNumber": x}, _to_double(x, "$$REMOVE"), "$$REMOVE")
        return _if(_is_type(x, _BSON[str(self.to)]), x, "$$REMOVE")

    def apply(self, value: Any, is_new: bool) -> Any:
        first = (value or [None])[0] if isinstance(value, list) else value
        number = first.to_decimal() if isinstance(first, Decimal128) else first
        if isinstance(number, int | float | Decimal) and not isinstance(number, bool):
            if self.to == "integer":
                return int(number) if _is_whole_and_small(number) else MISSING
            if self.to == "number":
                return float(number) if _is_near_double(number) else MISSING
        is_same = (self.to, type(first)) in (("string", str), ("boolean", bool))
        return first if is_same else MISSING


def _if(condition: Expression, then: Expression, other: Expression) -> Expression:
    return {"$cond": [condition, then, other]}


def _is_type(x: Expression, *types: str) -> Expression:
    return {"$in": [{"$type": x}, list(types)]}


def _to_double(x: Expression, other: Expression) -> Expression:
    """Return a number as a double; ``other`` for one that is too small for that, or too large."""
    return {"$convert": {"input": x, "to": "double", "onError": other}}


def _is_whole_number(x: Expression) -> Expression:
    least = {"$gte": [{"$abs": x}, 0]}  # NaN is less than any number, and equal to itself
    return {"$and": [least, {"$eq": [x, {"$trunc": x}]}, {"$lte": [{"$abs": x}, _LARGEST]}]}


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_whole_and_small(number: int | float | Decimal) -> bool:
    return isfinite(number) and -_LARGEST <= number <= _LARGEST and number == int(number)


def _is_near_double(number: int | float | Decimal) -> bool:
    """Return whether MongoDB makes a double of a number, which may be too large for that, or too small."""
    near = float(number)
    return number != number or number == near or float_info.min <= abs(near) < inf


def _exact(value: float) -> Decimal:
    """Return the decimal of the 15 digits that a number always holds."""
    return Decimal(int(value)) if _is_whole_and_small(value) else Decimal(f"{value:.15g}")
