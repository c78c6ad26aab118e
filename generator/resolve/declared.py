"""Declared names. What depends on a name that is wrong, or that two files declare, stays unjudged."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
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


@dataclass(frozen=True, slots=True)
class Doubtful:
    """Names by kind: those that several files declare, and ``*`` where a file has a name that cannot be."""

    twice: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    misnamed: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def as_broken(self, broken: Mapping[str, frozenset[str]]) -> Mapping[str, frozenset[str]]:
        """Add the names to those that unreadable files were to declare."""
        kinds = {*broken, *self.twice, *self.misnamed}
        return {
            kind: broken.get(kind, frozenset()) | self.twice.get(kind, set()) | self.misnamed.get(kind, set())
            for kind in kinds
        }


def declare_names(context: Context) -> Doubtful:
    """Find what each name is declared as; report names that are declared twice, and return them."""
    specs, doubtful = context.specs, Doubtful()
    context.records = _index_by_name(context, doubtful, specs.records, "record")
    context.structures = _index_by_name(context, doubtful, specs.structures, "structure")
    context.graphs = _index_by_name(context, doubtful, specs.graphs, "stateGraph")
    context.predicates = _index_predicates(specs)
    context.specs = replace(specs, broken=doubtful.as_broken(specs.broken))
    context.extended = extend_records(context)
    return doubtful


def _index_predicates(specs: Specs) -> dict[str, PredicateSpec]:
    predicates: dict[str, PredicateSpec] = {}
    for document in specs.ontologies:
        for name, predicate in document.spec.ontology.predicates.items():
            predicates.setdefault(name, predicate)
    return predicates


def _index_by_name(
    context: Context, doubtful: Doubtful, documents: Iterable[Document[SpecT]], word: str
) -> dict[str, Document[SpecT]]:
    found: dict[str, Document[SpecT]] = {}
    for document in documents:
        name = document.name
        if name in found:
            there = found[name].at.value(word)
            message = f'{word} "{name}" is already declared in {there.file}:{there.line}'
            context.report(document.at.value(word), "SPEC021", message)
            doubtful.twice[word].add(name)
        else:
            found[name] = document
            if not _is_name(word, name):
                doubtful.misnamed[word].add("*")
    return found


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
