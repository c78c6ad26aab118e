"""What a digest of records is computed of: their values, with texts next to the numbers that hashes cut.

``$toHashedIndexKey`` takes numbers as integers of 64 bits, so 1.2 and 1.7 have one hash. The text of a number
has 34 digits of a decimal, and 15 of a double. Integers are exact as they are; free JSON has no types, and
its fractions count for nothing.
"""

from collections.abc import Mapping
from typing import Any, Final

from runtime.model.field_type import FieldType, ValueKind

Expression = Any

_CUT: Final = frozenset({ValueKind.NUMBER, ValueKind.DECIMAL})


def expose_fractions(
    values: Mapping[str, Expression], fields: Mapping[str, FieldType]
) -> dict[str, Expression]:
    """Return the values, each that may hold fractions with the texts of them."""
    return {
        name: _expose(value, fields[name]) if name in fields and _is_cut(fields[name]) else value
        for name, value in values.items()
    }


def _expose(value: Expression, field: FieldType) -> Expression:
    both = {"value": "$$value", "texts": _build_texts("$$value", field, 0)}
    return {"$let": {"vars": {"value": value}, "in": both}}


def _is_cut(field: FieldType) -> bool:
    inside = [*field.fields.values(), *([field.item] if field.item else ())]
    return field.kind in _CUT or any(map(_is_cut, inside))


def _build_texts(x: str, field: FieldType, depth: int) -> Expression:
    """Build an expression of all texts in a value; null for one that is not of its type."""
    if field.kind in _CUT:
        decimal = {"$convert": {"input": x, "to": "decimal", "onError": None, "onNull": None}}
        return {"$convert": {"input": decimal, "to": "string", "onError": None, "onNull": None}}
    if field.item is None:
        return [
            _build_texts(f"{x}.{name}", member, depth)
            for name, member in sorted(field.fields.items())
            if _is_cut(member)
        ]
    is_map, one = field.kind is ValueKind.MAP, f"item{depth}"
    items: Expression = {"$objectToArray": x} if is_map else x
    inner = _build_texts(f"$${one}.v" if is_map else f"$${one}", field.item, depth + 1)
    is_whole = {"$eq": [{"$type": x}, "object" if is_map else "array"]}
    return {"$cond": [is_whole, {"$map": {"input": items, "as": one, "in": inner}}, None]}
