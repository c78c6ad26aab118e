"""Declarations that are misspelt, while all that is meant by them is spelled right.

Each use of the right name is a problem: it is unknown. They count as one, at the declaration, where two facts
agree: its file is called as the name in use is, and nothing uses the declared one.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from pathlib import PurePath
from typing import Final

from generator.model import Field, Kind, Record, Structure, list_targets
from generator.naming import BadName, FileName, camel_case
from generator.problems import Problem, nearest
from generator.resolve.context import Context
from generator.resolve.names import UNKNOWN
from generator.spec import Document, Spec

_KINDS: Final = {"record": Kind.REFERENCE, "structure": Kind.STRUCTURE, "stateGraph": Kind.STATES}
"""Kind of a file → kind of a field that names what such a file declares."""
_NEEDS_PREDICATE: Final = "SPEC094"


def blame_declarations(
    context: Context, records: Mapping[str, Record], structures: Mapping[str, Structure]
) -> None:
    """Report misspelt declarations in place of the names that are unknown because of them."""
    fields = [*(one.fields for one in records.values()), *(one.fields for one in structures.values())]
    declared = {"record": context.records, "structure": context.structures, "stateGraph": context.graphs}
    for kind, documents in declared.items():
        unknown = _group_by_file(one.name for one in context.unknown if one.kind == kind)
        if not unknown:
            continue
        used = context.used | {(kind, name) for name in _list_used(fields, _KINDS[kind])}
        for document in documents.values():
            is_used = not used.isdisjoint(_list_names(kind, document.name))
            if not is_used and (meant := _find_meant(document, unknown, documents)):
                _replace_problems(context, kind, document, meant)


def _list_used(fields: Iterable[tuple[Field, ...]], kind: Kind) -> set[str]:
    """List what fields name, those of record types that an earlier run resolved as well."""
    return {name for one in fields for name in list_targets(one, kind)}


def _group_by_file(names: Iterable[str]) -> dict[str | None, set[str]]:
    """Group names by the file that declares what is called so."""
    found: dict[str | None, set[str]] = defaultdict(set)
    for name in names:
        found[_name_file(name)].add(name)
    return found


def _find_meant(
    document: Document[Spec], unknown: Mapping[str | None, Collection[str]], declared: Collection[str]
) -> str | None:
    """Find the unknown name that a declaration should have; None where its file is not called so."""
    stem = PurePath(document.source).stem
    found = () if stem == _name_file(document.name) else sorted(unknown.get(stem, ()))
    return next((name for name in found if nearest(name, declared)[:1] == [document.name]), None)


def _list_names(kind: str, name: str) -> list[tuple[str, str]]:
    """List what uses of a declared name say; rules name record types by their functional domain."""
    domain = [("domain", camel_case(name).lower())] if kind == "record" else []
    return [(kind, name), *domain]


def _name_file(name: str) -> str | None:
    try:
        return FileName.of(name)
    except BadName:
        return None


def _replace_problems(context: Context, kind: str, document: Document[Spec], meant: str) -> None:
    names = _list_names(kind, meant)
    follow = {one.problem for one in context.unknown if (one.kind, one.name) in names}
    uses = sorted(one for one in follow if one.rule == UNKNOWN[kind][0])
    context.problems[:] = [one for one in context.problems if not _follows(one, follow, document)]
    rule, words = UNKNOWN[kind]
    first = f"{uses[0].file}:{uses[0].line}"
    message = (
        f'nothing uses the {words} "{document.name}", but {first} uses "{meant}"; did you mean "{meant}"?'
    )
    context.report(document.at.value(kind), rule, message)


def _follows(problem: Problem, follow: Collection[Problem], document: Document[Spec]) -> bool:
    """Whether a problem is gone where the declaration has the name that is meant."""
    return problem in follow or (problem.file == document.source and problem.rule == _NEEDS_PREDICATE)
