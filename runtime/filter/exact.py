"""A match that means under a collation what it means without one. Pure.

MongoDB has one collation for a whole command. A list in an order that ignores case (``sort=name~ci``) must
not ignore it in its filter, in the rules or in the scope: the tenants ``acme`` and ``ACME`` are two. So each
comparison with a text becomes a pattern, which no collation touches. An equality stays next to its pattern,
for an index with that collation finds its records by it.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from runtime.errors import InvalidParameter
from runtime.filter.wildcard import Pattern, exact_pattern, range_pattern

Match = Mapping[str, Any]

MAX_ORDERED: Final = 200
"""Characters of a text that others are ordered by: each is a group of a pattern, which has 250 at most."""

MAX_EXACT: Final = 4000
"""Characters of a text to be equal to: MongoDB takes patterns of 32 KiB."""

_JOINING: Final = ("$and", "$or", "$nor")
_ORDERINGS: Final = ("$gt", "$gte", "$lt", "$lte")


def without_collation(match: Match) -> dict[str, Any]:
    """Return a match that a collation does not change. Raises ``InvalidParameter`` if there is none."""
    found: dict[str, Any] = {}
    for key, condition in match.items():
        if key in _JOINING:
            found[key] = [without_collation(one) for one in condition]
        elif key == "$expr":
            found[key] = _expression(condition)
        elif key.startswith("$"):
            found[key] = condition
        else:
            found[key] = _operators(condition if _is_operators(condition) else {"$eq": condition})
    return found


def _is_operators(condition: Any) -> bool:
    return isinstance(condition, Mapping) and next(iter(condition), "").startswith("$")


def _operators(operators: Match) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for operator, operand in operators.items():
        if operator in _ORDERINGS and isinstance(operand, str):
            found.setdefault("$all", []).append(_order_pattern(operator, operand))
        elif operator == "$eq" and isinstance(operand, str):
            found[operator] = operand
            found.setdefault("$all", []).append(_exact(operand))
        elif operator == "$in" and "$not" not in operators:
            found |= _among(operand)
        elif operator in ("$ne", "$nin"):
            found.setdefault("$nin", []).extend(_patterns([operand] if operator == "$ne" else operand))
        else:
            rewrite = _REWRITTEN.get(operator)
            found[operator] = rewrite(operand) if rewrite else operand
    return found


def _among(values: Sequence[Any]) -> dict[str, Any]:
    """Match one of these values: for an index and, said the other way round, without a collation."""
    patterns = _patterns(values)
    return {"$in": values} if patterns == list(values) else {"$in": values, "$not": {"$nin": patterns}}


def _rewrite_element(operand: Match) -> dict[str, Any]:
    is_plain = _is_operators(operand) and set(operand).isdisjoint(_JOINING)
    return _operators(operand) if is_plain else without_collation(operand)


def _patterns(values: Sequence[Any]) -> list[Any]:
    return [_exact(value) if isinstance(value, str) else value for value in values]


def _exact(text: str) -> Pattern:
    if len(text) > MAX_EXACT:
        raise _too_long(text, MAX_EXACT)
    return exact_pattern(text)


def _order_pattern(operator: str, text: str) -> Pattern:
    if len(text) > MAX_ORDERED:
        raise _too_long(text, MAX_ORDERED)
    return range_pattern(operator, text)


def _too_long(text: str, most: int) -> InvalidParameter:
    message = f"a list in an order without case (~ci) compares no text of more than {most} characters so"
    return InvalidParameter(f"{message}: {text[:20]}…", parameter="sort")


def _expression(expression: Any) -> Any:
    """Rewrite what ``two_fields``, ``own_id`` and ``former`` write: types and ids are the same anyhow."""
    match expression:
        case {"$and": [*guards, {"$eq": [left, right]}]} if _are_texts(guards):
            return {"$and": [*guards, _same_text(left, right)]}
        case {"$and": [*guards, _comparison]} if _are_texts(guards):
            message = "an order without case (~ci) takes no filter or rule that orders two fields with text"
            raise InvalidParameter(message, parameter="sort")
        case {"$eq": [left, {"$toString": _} as right]}:
            return _same_text(left, right)
    return expression


def _are_texts(guards: Sequence[Any]) -> bool:
    return bool(guards) and "string" in guards[0].get("$in", ((), ()))[1]


def _same_text(left: Any, right: Any) -> dict[str, Any]:
    """Compare octets. ``$cond``, since counting those of anything but a text is an error."""
    octets = [{"$strLenBytes": left}, {"$strLenBytes": right}]
    same = {"$and": [{"$eq": octets}, {"$eq": [{"$indexOfBytes": [left, right]}, 0]}]}
    are_texts = {"$and": [{"$eq": [{"$type": one}, "string"]} for one in (left, right)]}
    return {"$cond": [are_texts, same, False]}


_REWRITTEN: Final[Mapping[str, Callable[[Any], Any]]] = {
    "$in": _patterns, "$not": _operators, "$elemMatch": _rewrite_element
}  # fmt: skip
