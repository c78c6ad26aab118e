"""Directives of a query among its conditions, while the text is read: lifted out, or refused where nested."""

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from runtime.filter.literals import Marks
from runtime.filter.position import Refused
from runtime.filter.syntax import Expansion, Expression


@dataclass(frozen=True, slots=True)
class Mixed:
    """Operands of an ``&&`` with directives among them."""

    directives: tuple[Marks | Expansion, ...]
    conditions: tuple[Expression, ...]


Found: TypeAlias = Expression | Marks | Expansion | Mixed
DIRECTIVES: Final = frozenset({Marks, Expansion, Mixed})


def mix(found: Any) -> Mixed:
    """Return what was read as operands of an ``&&``."""
    if isinstance(found, Mixed):
        return found
    if isinstance(found, Marks | Expansion):
        return Mixed((found,), ())
    return Mixed((), (found,))


def as_condition(found: Any) -> Any:
    """Return a condition; directives are refused where they are nested."""
    if type(found) in DIRECTIVES:
        first = mix(found).directives[0]
        raise Refused(misplaced(first), first.at, "field:value")
    return found


def misplaced(directive: Marks | Expansion) -> str:
    """Say where a directive belongs."""
    name = "fields:[…]" if isinstance(directive, Marks) else "expand(…)"
    return f"{name} belongs to the outermost && of a query; a condition cannot hold it"
