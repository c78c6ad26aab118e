"""Fields that are still stored under a former name (``renamedFrom``): matches that find them there too. Pure.

A record holds such a field under its name, or else under its former one. So a condition becomes two: on the
name where the record has it, on the former name where it does not. That holds for any condition, negations
and ``null`` included, and each of the two can use an index.
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
        elif (name := _renamed_in(key, value, renamed)) is not None:
            doubled.append(_doubled(key, value, name, renamed[name]))
        else:
            plain[key] = value
    if not doubled:
        return plain
    return {"$and": [*([plain] if plain else ()), *doubled]}


def _renamed_in(key: str, value: Any, renamed: Mapping[str, str]) -> str | None:
    """Find the renamed field that a condition is about. Of expressions, ``is_own_id`` alone names fields."""
    path = str(value.get("$eq", [""])[0])[1:] if key == "$expr" else key
    top = top_of(path)
    return top if top in renamed else None


def _doubled(key: str, value: Any, name: str, former: str) -> Match:
    stored = {"$and": [{name: {"$exists": True}}, {key: value}]}
    if key == "$expr":
        path, own = value["$eq"]
        moved = {key: {"$eq": [f"${_moved(path[1:], name, former)}", own]}}
    else:
        moved = {_moved(key, name, former): value}
    return {"$or": [stored, {"$and": [{name: {"$exists": False}}, moved]}]}


def _moved(path: str, name: str, former: str) -> str:
    return former + path.removeprefix(name)
