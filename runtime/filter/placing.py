"""Where the operators of a condition go in a match: at a path, or in the element of a list around it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from runtime.filter.conditions import Operators
from runtime.filter.fields import Field

Match: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Where:
    """Where names are read: ``prefix`` before them; ``cut`` characters of stored paths lie outside.

    ``is_top``: the operands of the outermost ``&&``, where text search may stand.
    """

    prefix: str = ""
    cut: int = 0
    is_top: bool = False

    @property
    def inside(self) -> "Where":
        """The same place, below the outermost ``&&``."""
        return Where(self.prefix, self.cut) if self.is_top else self


def put(found: Field, where: Where, operators: Operators) -> Match:
    """Put operators at the path of a field. Several of them must hold for the same value of a list."""
    lists = lists_around(found, where)
    inner = operators.get("$not", operators)
    if not lists or len(inner) == 1:
        return {found.path[where.cut :]: operators}
    match = within(found.path, lists, where.cut, inner)
    return match if inner is operators else {"$nor": [match]}


def lists_around(found: Field, where: Where) -> list[str]:
    """Return the lists around a value, except those around the element that is being matched."""
    return [path for path in found.lists if len(path) >= where.cut]


def all_of(matches: list[Match]) -> Match:
    """Match all of them: in one document when no key is named twice, else by ``$and``."""
    merged: Match = {}
    for match in matches:
        merged |= match
    return merged if len(merged) == sum(map(len, matches)) else {"$and": matches}


def within(path: str, lists: Sequence[str], cut: int, operators: Operators) -> Match:
    """Put operators at a path: one ``$elemMatch`` a list on the way, so that they meet in a single value."""
    match, end = operators, path
    for outer in reversed(lists):
        rest = end[len(outer) + 1 :]
        match, end = {"$elemMatch": {rest: match} if rest else match}, outer
    return {end[cut:]: match}
