"""Two fields of one record compared: ``arrivesAt:<$departsAt``.

Such a condition is an expression of MongoDB, which no index serves. There a missing value is less than
every other one, and values of two types have an order. Here, as for literals, a comparison holds only
between two values of the types that the fields declare, so every expression asks for these types first.
"""

from collections.abc import Callable, Mapping, Sequence
from math import inf
from operator import eq, ge, gt, le, lt
from typing import Any, Final

from runtime.filter.fields import Field
from runtime.filter.syntax import Compare, Operator
from runtime.filter.unreadable import unreadable
from runtime.model.field_type import FieldType, ValueKind
from runtime.model.paths import value_at

_NUMBERS: Final = frozenset({ValueKind.INTEGER, ValueKind.NUMBER, ValueKind.DECIMAL})
_NUMBER: Final = ("a number", ("int", "long", "double", "decimal"))
_FAMILIES: Final = {
    ValueKind.STRING: ("a text", ("string",)),
    ValueKind.INTEGER: _NUMBER,
    ValueKind.NUMBER: _NUMBER,
    ValueKind.DECIMAL: _NUMBER,
    ValueKind.BOOLEAN: ("a boolean", ("bool",)),
    ValueKind.DATE: ("a date", ("string",)),
    ValueKind.DATETIME: ("a date-time", ("date",)),
    ValueKind.OBJECT_ID: ("an id", ("objectId",)),
}
_OPERATORS: Final = {
    Operator.EQUAL: "$eq",
    Operator.LESS: "$lt",
    Operator.LESS_OR_EQUAL: "$lte",
    Operator.GREATER: "$gt",
    Operator.GREATER_OR_EQUAL: "$gte",
}
_HOLDS: Final[Mapping[str, Callable[[Any, Any], bool]]] = {
    "$eq": eq, "$lt": lt, "$lte": le, "$gt": gt, "$gte": ge
}  # fmt: skip

Read = Callable[[Any], tuple[str, Any]]


def incomparable(
    node: Compare, named: str, left: Field, right: Field, known: Mapping[str, FieldType]
) -> str | None:
    """Say why a field and the one that is ``named`` next cannot be compared; None if they can.

    ``known``: fields that the caller may see, to say what would be right.
    """
    for path, found in ((node.path, left), (named, right)):
        if found.lists:
            return (
                f"{path} is a list or inside a list: only fields with one value are compared with each other"
            )
        if found.type.kind not in _FAMILIES:
            return f"{path} is {unreadable(found.type)}: only fields with one declared type are compared"
    family, other = (_FAMILIES[found.type.kind][0] for found in (left, right))
    if family != other:
        alike = [name for name, one in known.items() if _family(one) == family and name != node.path]
        advice = f", such as ${alike[-1]}" if alike else ""
        return f"{node.path} is {family} and {named} {other}: compare {node.path} with {family}{advice}"
    if left.type.kind is ValueKind.BOOLEAN and node.operator not in (Operator.EQUAL, Operator.NOT_EQUAL):
        return f"{node.path} is a boolean, which has no order: write {node.path}:${named}"
    return None


def _family(field_type: FieldType) -> str:
    return _FAMILIES[field_type.kind][0] if field_type.kind in _FAMILIES else ""


def compare_fields(operator: Operator, left: Field, right: Field) -> dict[str, Any]:
    """Match the records whose fields are so related; both are of one family and not in lists."""
    if operator is Operator.NOT_EQUAL:
        return {"$nor": [compare_fields(Operator.EQUAL, left, right)]}
    types = list(_FAMILIES[left.type.kind][1])
    paths = [f"${left.path}", f"${right.path}"]
    guards: list[dict[str, Any]] = [{"$in": [{"$type": path}, types]} for path in paths]
    if left.type.kind in _NUMBERS:  # without NaN, which is neither less nor greater than a literal either
        guards += [{"$gte": [path, -inf]} for path in paths]
    return {"$expr": {"$and": [*guards, {_OPERATORS[operator]: paths}]}}


def holds_between(
    expression: Mapping[str, Any], types: Sequence[str], read: Read
) -> Callable[[Mapping[str, Any]], bool]:
    """Compile the comparison of ``compare_fields`` for documents in memory.

    ``read`` returns the kind of a stored value and what to compare.
    """
    ((operator, (left, right)),) = expression.items()
    kind, holds = "number" if "int" in types else types[0], _HOLDS[operator]

    def test(document: Mapping[str, Any]) -> bool:
        values = [read(value_at(document, path.removeprefix("$"))) for path in (left, right)]
        return all(its_kind == kind for its_kind, _value in values) and holds(values[0][1], values[1][1])

    return test
