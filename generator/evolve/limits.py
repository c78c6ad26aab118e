"""Words of JSON Schema that bound a value: whether a change of one admits fewer values, more, or both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from enum import StrEnum
from typing import Any


class Move(StrEnum):
    """How the values that a schema admits changed."""

    FEWER = "fewer"
    MORE = "more"
    OTHER = "other"


UPPER = frozenset({"maxLength", "maxItems", "maxProperties", "maximum", "exclusiveMaximum"})
LOWER = frozenset({"minLength", "minItems", "minProperties", "minimum", "exclusiveMinimum"})
FLAGS = frozenset({"uniqueItems"})
STEPS = frozenset({"multipleOf"})
_NOTHING_BELOW = frozenset({"minLength", "minItems", "minProperties"})
WORDS = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minimum",
         "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf", "uniqueItems")  # fmt: skip


def compare_limits(
    old: Mapping[str, Any], new: Mapping[str, Any]
) -> Iterator[tuple[str, object, object, Move]]:
    """Yield each bound that differs, with its former and its present value and what that means."""
    for word in WORDS:
        before, after = _read(word, old), _read(word, new)
        if before != after:
            yield word, before, after, _compare(word, before, after)


def _read(word: str, schema: Mapping[str, Any]) -> Any:
    """Return the bound; None where it bounds nothing, as a minLength of 0 does."""
    value = schema.get(word)
    if value is False or (word in _NOTHING_BELOW and value == 0):
        return None
    return value


def _compare(word: str, before: Any, after: Any) -> Move:
    if before is None or after is None:
        return Move.FEWER if before is None else Move.MORE
    if word in UPPER:
        return Move.FEWER if after < before else Move.MORE
    if word in LOWER:
        return Move.FEWER if after > before else Move.MORE
    return _compare_steps(before, after)


def _compare_steps(before: Any, after: Any) -> Move:
    """Of two steps, the multiples of the wider one are all multiples of the other."""
    old, new = Decimal(str(before)), Decimal(str(after))
    if new and old % new == 0:
        return Move.MORE
    return Move.FEWER if old and new % old == 0 else Move.OTHER
