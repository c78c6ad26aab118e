"""What ``load`` hands on: each file as a checked spec with its positions, sorted into kinds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Generic, Protocol, TypeVar

from generator.problems import Place, Problem
from generator.spec.breaking import BreakingSpec
from generator.spec.data import ImportProfileSpec, OntologySpec, RulesSpec, SeedsSpec
from generator.spec.endpoint import EndpointsSpec
from generator.spec.graph import StateGraphSpec
from generator.spec.record import ExtensionSpec, RecordSpec, StructureSpec
from generator.spec.service import NO_SERVICE, ServiceSpec
from generator.spec.strict import Spec
from generator.spec.tool import ToolsSpec

KINDS: Mapping[str, type[Spec]] = {
    "record": RecordSpec,
    "extend": ExtensionSpec,
    "structure": StructureSpec,
    "stateGraph": StateGraphSpec,
    "endpoints": EndpointsSpec,
    "tools": ToolsSpec,
    "rules": RulesSpec,
    "seeds": SeedsSpec,
    "importProfile": ImportProfileSpec,
    "ontology": OntologySpec,
}
"""First key of a file → what the file must look like."""

SERVICE_KIND, BREAKING_KIND = "service", "breaking"
"""The kinds of ``service.yaml`` and ``breaking.yaml``, which their names decide."""

SPECS: Mapping[str, type[Spec]] = {**KINDS, SERVICE_KIND: ServiceSpec, BREAKING_KIND: BreakingSpec}
"""Kind of a file → what the file must look like."""

SpecT_co = TypeVar("SpecT_co", bound=Spec, covariant=True)


class Positions(Protocol):
    """Where things stand in one file. Steps that the file does not spell out (shorthands) are passed over."""

    def value(self, *path: str | int) -> Place:
        """Return where the value at the path begins."""
        ...

    def key(self, *path: str | int) -> Place:
        """Return where the last key of the path is."""
        ...


@dataclass(frozen=True)
class Document(Generic[SpecT_co]):
    """One file. ``source`` is its path from the parent of the specs folder.

    ``name``: what its first key declares; empty where that is a list. ``is_system``: it is one of the
    service's own, not of a team. ``digest``: the hash of its text; empty where several files are joined, or
    parts with problems are left out. ``omitted``: the fields among those; ``omitted_words``: the keys of the
    file that lack a part, or may be meant by an unknown one; ``*`` is any.
    """

    area: str
    source: str
    name: str
    build: Callable[[], SpecT_co]
    at: Positions
    is_system: bool = False
    digest: str = ""
    omitted: frozenset[str] = frozenset()
    omitted_words: frozenset[str] = frozenset()

    @cached_property
    def spec(self) -> SpecT_co:
        """What the file says. Built when it is needed: most files are as an earlier run has seen them."""
        return self.build()

    def lacks(self, *words: str) -> bool:
        """Return whether one of these keys lacks a part, or may be meant by an unknown key."""
        return not self.omitted_words.isdisjoint(("*", *words))


@dataclass(frozen=True, slots=True)
class Specs:
    """All files that could be read, in the order of their paths, and what was wrong with the others.

    ``broken`` holds, by kind, the names that files with problems were to declare, so that references to them
    are not reported as well; ``"*"`` is a kind or name that cannot be determined. ``system`` describes the
    areas of the service's own records.
    """

    root: str
    service: Document[ServiceSpec] | None = None
    breaking: Document[BreakingSpec] | None = None
    system: ServiceSpec = NO_SERVICE
    records: tuple[Document[RecordSpec], ...] = ()
    extensions: tuple[Document[ExtensionSpec], ...] = ()
    structures: tuple[Document[StructureSpec], ...] = ()
    graphs: tuple[Document[StateGraphSpec], ...] = ()
    endpoints: tuple[Document[EndpointsSpec], ...] = ()
    tools: tuple[Document[ToolsSpec], ...] = ()
    rules: tuple[Document[RulesSpec], ...] = ()
    seeds: tuple[Document[SeedsSpec], ...] = ()
    import_profiles: tuple[Document[ImportProfileSpec], ...] = ()
    ontologies: tuple[Document[OntologySpec], ...] = ()
    problems: tuple[Problem, ...] = ()
    broken: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @property
    def about_service(self) -> ServiceSpec:
        """What ``service.yaml`` says; nothing where it is missing or broken, which is a problem."""
        return self.service.spec if self.service else NO_SERVICE

    def knows_all(self, word: str) -> bool:
        """Return whether all that ``service.yaml`` has under a key could be read."""
        return self.service is not None and not self.service.lacks(word)
