"""Fields that are still stored under a former name (``renamedFrom``): matches that find them there too. Pure.

A record holds such a field under its name, or else under its former one. So a condition becomes two: on the
name where the record has it, on the former name where it does not. That holds for any condition, negations
and ``null`` included, and each of the two can use an index. An expression, which uses none, chooses itself.
"""

from collections.abc import Mapping
from typing import Any, Final

from runtime.model.paths import top_of

Match = Mapping[str, Any]

_JOINING: Final = ("$and", "$or", "$nor")


def under_former_names(match: Match, renamed: Mapping[str, str]) -> Match:
    """Return a match that also finds records which hold a field under its former name.

    ``renamed``: name → former name, of top-level fields.
    """
    if not renamed:
        return match
    plain: dict[str, Any] = {}
    doubled: list[Match] = []
    for key, value in match.items():
        if key in _JOINING:
            plain[key] = [under_former_names(one, renamed) for one in value]
        elif key == "$expr":
            plain[key] = _in_expression(value, renamed)
        elif (name := _renamed_in(key, renamed)) is not None:
            doubled.append(_match_both_names(key, value, name, renamed[name]))
        else:
            plain[key] = value
    if not doubled:
        return plain
    return {"$and": [*([plain] if plain else ()), *doubled]}


def _renamed_in(key: str, renamed: Mapping[str, str]) -> str | None:
    """Find the renamed field that a condition is about."""
    top = top_of(key)
    return top if top in renamed else None


def _match_both_names(key: str, value: Any, name: str, former: str) -> Match:
    stored = {"$and": [{name: {"$exists": True}}, {key: value}]}
    moved = {former + key.removeprefix(name): value}
    return {"$or": [stored, {"$and": [{name: {"$exists": False}}, moved]}]}


def _in_expression(value: Any, renamed: Mapping[str, str]) -> Any:
    """Read renamed fields where the record has them. Strings with ``$`` are paths: texts are in patterns."""
    if isinstance(value, Mapping):
        return {key: _in_expression(inner, renamed) for key, inner in value.items()}
    if isinstance(value, list):
        return [_in_expression(inner, renamed) for inner in value]
    if not isinstance(value, str) or top_of(value)[1:] not in renamed or value[0] != "$":
        return value
    name = top_of(value)
    former = f"${renamed[name[1:]]}{value.removeprefix(name)}"
    return {"$cond": [{"$eq": [{"$type": name}, "missing"]}, former, value]}
