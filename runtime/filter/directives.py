"""Directives of a query among its conditions, while the text is read: lifted out, or refused where nested."""

from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from runtime.filter.literals import FieldMarks
from runtime.filter.position import FilterRefused
from runtime.filter.syntax import Expansion, Expression


@dataclass(frozen=True, slots=True)
class Mixed:
    """Operands of an ``&&`` with directives among them."""

    directives: tuple[FieldMarks | Expansion, ...]
    conditions: tuple[Expression, ...]


Found: TypeAlias = Expression | FieldMarks | Expansion | Mixed
DIRECTIVES: Final = frozenset({FieldMarks, Expansion, Mixed})


def mix(found: Any) -> Mixed:
    """Return what was read as operands of an ``&&``."""
    if isinstance(found, Mixed):
        return found
    if isinstance(found, FieldMarks | Expansion):
        return Mixed((found,), ())
    return Mixed((), (found,))


def as_condition(found: Any) -> Any:
    """Return a condition; directives are refused where they are nested."""
    if type(found) in DIRECTIVES:
        first = mix(found).directives[0]
        raise FilterRefused(misplaced(first), first.at, "field:value")
    return found


def misplaced(directive: FieldMarks | Expansion) -> str:
    """Say where a directive belongs that is part of a condition."""
    name, _parameter = _names(directive)
    return f"{name} belongs to the outermost && of a query; a condition cannot hold it"


def not_in_filter(directive: FieldMarks | Expansion) -> str:
    """Say what takes a directive, which a filter does not."""
    name, parameter = _names(directive)
    return (
        f"a filter takes conditions, not {name}: it belongs to the query of find and plan; "
        f"lists and single records have the parameter {parameter}"
    )


def _names(directive: FieldMarks | Expansion) -> tuple[str, str]:
    """Return how a directive is written, and the parameter of the same meaning."""
    return ("fields:[…]", "projection") if isinstance(directive, FieldMarks) else ("expand(…)", "expand")
