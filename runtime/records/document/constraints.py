"""Constraints: the filters that every saved record must match. Pure.

They apply to the complete document as it is going to be stored. A constraint that names a variable without a
value is broken, like any rule that cannot be decided. What breaks one is refused, or stored and marked where
the record type says ``validation: lenient``.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

from runtime.filter import admits, compile_filter, named_paths, parse_filter
from runtime.filter.bindings import Variables
from runtime.model.problems import Violation, invalid
from runtime.model.record_type import Constraint, RecordType

Document = dict[str, Any]

_MOST_STORED: Final = 100
_NO_VARIABLES: Final[Variables] = MappingProxyType({})


def find_violations(
    kind: RecordType[Any],
    document: Mapping[str, Any],
    variables: Variables = _NO_VARIABLES,
    unasked: Collection[Constraint] = (),
) -> list[Violation]:
    """Return ``{path, message}`` of each constraint a document breaks; the path is the first named field.

    ``unasked``: constraints that are left out.
    """
    asked = [one for one in kind.constraints if one not in unasked]
    return _find_broken(kind, asked, document, variables)


def find_known_violations(
    kind: RecordType[Any], document: Document, variables: Variables, is_known: Callable[[str], bool]
) -> list[Violation]:
    """Return what ``find_violations`` does, of the constraints that name fields of known values alone."""
    known = [
        one for one in kind.constraints if all(map(is_known, named_paths(parse_filter(one.when).expression)))
    ]
    return _find_broken(kind, known, document, variables)


def _find_broken(
    kind: RecordType[Any],
    constraints: Iterable[Constraint],
    document: Mapping[str, Any],
    variables: Variables,
) -> list[Violation]:
    return [
        {"path": _first_field(constraint.when), "message": constraint.message}
        for constraint in constraints
        if not admits(compile_filter(constraint.when, kind, variables, for_rule=True), document)
    ]


def require_sound(
    kind: RecordType[Any],
    document: Document,
    found: Iterable[Violation] = (),
    variables: Variables = _NO_VARIABLES,
    unasked: Collection[Constraint] = (),
) -> None:
    """Check the document that is about to be stored; ``found`` is what else is wrong with it.

    ``unasked``: as ``find_violations`` takes them.

    Raises ``ValidationFailed`` with all violations. A lenient type gets ``invalid`` and ``violations`` set
    on the document instead; both are removed from one that is in order, whatever a client sent.
    """
    document.pop("invalid", None)
    document.pop("violations", None)
    wrong = [*found, *find_violations(kind, document, variables, unasked)]
    if not wrong:
        return
    if not kind.lenient:
        raise invalid(wrong)
    document["invalid"] = True
    document["violations"] = wrong[:_MOST_STORED]


@lru_cache(maxsize=1024)
def _first_field(when: str) -> str:
    return next(named_paths(parse_filter(when).expression), "")
