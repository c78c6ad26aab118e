"""Words of JSON Schema that bound a value: whether a change of one admits fewer values, more, or others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal
from enum import StrEnum
from typing import Any

from runtime.model.scalars import is_multiple


class Move(StrEnum):
    """How the values that a schema admits changed."""

    FEWER = "fewer"
    MORE = "more"
    OTHER = "other"


Bound = tuple[float, bool]
"""A number, and whether it is admitted itself."""

WORDS = (
    "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minimum", "maximum",
    "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "uniqueItems",
)  # fmt: skip
_EXCLUSIVE = {"minimum": "exclusiveMinimum", "maximum": "exclusiveMaximum"}
_COMPARED = [word for word in WORDS if word not in _EXCLUSIVE.values()]


def compare_limits(
    old: Mapping[str, Any], new: Mapping[str, Any]
) -> Iterator[tuple[str, object, object, Move]]:
    """Yield each bound that differs, with what it was and is, and what that means.

    ``minimum`` stands for ``exclusiveMinimum`` too: the stricter one counts. ``maximum`` likewise.
    """
    for word in _COMPARED:
        before, after = _read(word, old), _read(word, new)
        if before != after:
            yield word, _show(before), _show(after), _compare(word, before, after)


def _read(word: str, schema: Mapping[str, Any]) -> Any:
    """Return the bound; None where it bounds nothing, as a minLength of 0 does, or is not a number."""
    value = schema.get(word)
    if word == "uniqueItems":
        return value is True or None
    if word in _EXCLUSIVE:
        return _read_bound(word, value, schema.get(_EXCLUSIVE[word]))
    if not _is_number(value) or (word.startswith("min") and value == 0):
        return None
    return value if word == "multipleOf" else (value, True)


def _read_bound(word: str, value: Any, exclusive: Any) -> Bound | None:
    """Read the stricter one of two bounds; ``exclusive: true`` is how OpenAPI 3.0 marks the only one."""
    found = [(value, exclusive is not True)] if _is_number(value) else []
    found += [(exclusive, False)] if _is_number(exclusive) else []
    return max(found, key=lambda one: _strictness(word, one), default=None)


def _strictness(word: str, bound: Bound) -> tuple[float, bool]:
    value, is_admitted = bound
    return (value if word.startswith("min") else -value, not is_admitted)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _compare(word: str, before: Any, after: Any) -> Move:
    if before is None or after is None:
        return Move.FEWER if before is None else Move.MORE
    if word == "multipleOf":
        return _compare_steps(before, after)
    return Move.FEWER if _strictness(word, after) > _strictness(word, before) else Move.MORE


def _compare_steps(before: Any, after: Any) -> Move:
    """Compare two steps: all multiples of the stricter one are multiples of the other."""
    old, new = Decimal(str(before)), Decimal(str(after))
    if new and is_multiple(old, new):
        return Move.MORE
    return Move.FEWER if old and is_multiple(new, old) else Move.OTHER


def _show(bound: Any) -> object:
    if not isinstance(bound, tuple):
        return bound
    return bound[0] if bound[1] else f"{bound[0]} (exclusive)"
