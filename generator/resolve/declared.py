"""Declared names. What depends on a name that is wrong, or that two files declare, stays unjudged."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from generator.naming import BadName, ClassName, PythonName
from generator.resolve.context import Context
from generator.resolve.extensions import extend_records
from generator.spec import Document, PredicateSpec, Spec, Specs

SpecT = TypeVar("SpecT", bound=Spec)
PartT = TypeVar("PartT")

_NAMING: Mapping[str, Callable[[str], Any]] = {
    "record": ClassName,
    "structure": ClassName,
    "stateGraph": PythonName.from_wire,
}


Names = defaultdict[str, set[str]]
"""Names by kind."""


def declare_names(context: Context) -> Names:
    """Find what each name is declared as; report names that are declared twice, and return them.

    These count as those that unreadable files were to declare; ``*`` stands for a name that cannot be.
    """
    specs, twice = context.specs, Names(set)
    broken = Names(set, {kind: {*_read_broken(kind, names)} for kind, names in specs.broken.items()})
    index = partial(_index_by_name, context, twice, broken)
    context.records = index(specs.records, "record")
    context.structures = index(specs.structures, "structure")
    context.graphs = index(specs.graphs, "stateGraph")
    context.predicates = _index_predicates(specs)
    context.specs = replace(specs, broken={kind: frozenset(names) for kind, names in broken.items()})
    context.extended = extend_records(context)
    return twice


def _index_predicates(specs: Specs) -> dict[str, PredicateSpec]:
    predicates: dict[str, PredicateSpec] = {}
    for document in specs.ontologies:
        for name, predicate in document.spec.ontology.predicates.items():
            predicates.setdefault(name, predicate)
    return predicates


def _index_by_name(
    context: Context, twice: Names, broken: Names, documents: Iterable[Document[SpecT]], word: str
) -> dict[str, Document[SpecT]]:
    found: dict[str, Document[SpecT]] = {}
    for document in documents:
        name = document.name
        if name in found:
            there = found[name].at.value(word)
            message = f'{word} "{name}" is already declared in {there.file}:{there.line}'
            context.report(document.at.value(word), "SPEC021", message)
            twice[word].add(name)
            broken[word].add(name)
        else:
            found[name] = document
            if not _is_name(word, name):
                broken[word].add("*")
    return found


def _read_broken(kind: str, names: Iterable[str]) -> Iterator[str]:
    """Read the names of unreadable files; one whose kind is not known either, ``*``, may be of any kind."""
    words = _NAMING if kind == "*" else _NAMING.keys() & {kind}
    return (name if not words or any(_is_name(word, name) for word in words) else "*" for name in names)


def _is_name(word: str, name: str) -> bool:
    try:
        _NAMING[word](name)
    except BadName:
        return False
    return True


def without(names: Iterable[str], parts: Mapping[str, PartT]) -> dict[str, PartT]:
    """Leave out what has one of these names."""
    left_out = set(names)
    return {name: part for name, part in parts.items() if name not in left_out}
