"""Types and formats: which values of one are values of another."""

from __future__ import annotations

from generator.evolve.api.shapes import Shape
from generator.evolve.limits import Move

Types = frozenset[str] | None

_SCALARS = frozenset({"string", "number", "integer", "boolean"})
_WIDER_FORMATS = frozenset(
    {("int32", "int64"), ("float", "double"), ("int32", "bigint"), ("int64", "bigint")}
)


def compare_types(old: Shape, new: Shape, *, is_text: bool) -> Move | None:
    """Compare type and format. ``is_text``: values are sent as text, so a string may be any scalar."""
    grows, shrinks = _holds(new.types, old.types, is_text), _holds(old.types, new.types, is_text)
    if not grows or not shrinks:
        return Move.MORE if grows else Move.FEWER if shrinks else Move.OTHER
    before, after = old.words.get("format"), new.words.get("format")
    if before == after:
        return None
    if before is None or (after, before) in _WIDER_FORMATS:
        return Move.FEWER
    return Move.MORE if after is None or (before, after) in _WIDER_FORMATS else Move.OTHER


def show_type(shape: Shape) -> str:
    """Spell a type and its format, as ``string (date-time)``."""
    if shape.types is None and shape.branches:
        return f"{shape.branch_word} of {len(shape.branches)}"
    name = "any type" if shape.types is None else " or ".join(sorted(shape.types)) or "null"
    found = shape.words.get("format")
    return f"{name} ({found})" if found else name


def _holds(wide: Types, narrow: Types, is_text: bool) -> bool:
    """Whether each value of the narrow types is one of the wide types."""
    if wide is None or narrow is None:
        return wide is None
    reached = set(wide) | ({"integer"} if "number" in wide else set())
    if is_text and "string" in wide:
        reached |= _SCALARS
    return narrow <= reached
