"""The rules of an ontology: what follows from an edge, and what an edge can follow from. Pure.

A rule of one edge (inverse, symmetric, a wider predicate) gives another edge between the same two records.
A rule of several (transitive, a chain) joins edges end to end. Record types need not be looked at: the
generator has checked that the ends of joined predicates fit.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from runtime.model.ontology import Relationship


class Edge(NamedTuple):
    """That a record is connected with another by a predicate; the ends are ids."""

    predicate: str
    source: Any
    destination: Any


class Reason(NamedTuple):
    """Why there is an edge: the word of the rule, and the predicates or fields it follows from."""

    rule: str
    of: tuple[str, ...]


STATED = "field"
"""The rule of an edge that a reference field states."""


class Graph(Protocol):
    """Edges that are looked at."""

    def after(self, predicate: str, node: Any, /) -> Iterable[Any]: ...
    def before(self, predicate: str, node: Any, /) -> Iterable[Any]: ...
    def holds(self, edge: Edge, /) -> bool: ...


@dataclass(frozen=True, slots=True)
class Turned:
    """A rule of one edge: ``given`` gives ``gained`` between the same records, turned if ``is_back``."""

    given: str
    gained: str
    is_back: bool
    rule: str

    def apply(self, edge: Edge) -> Edge:
        """Return what follows from an edge of ``given``."""
        ends = (edge.destination, edge.source) if self.is_back else (edge.source, edge.destination)
        return Edge(self.gained, *ends)

    def undo(self, edge: Edge) -> Edge:
        """Return the edge from which one of ``gained`` follows."""
        ends = (edge.destination, edge.source) if self.is_back else (edge.source, edge.destination)
        return Edge(self.given, *ends)


@dataclass(frozen=True, slots=True)
class Joined:
    """A rule of several edges: walked in order, ``steps`` give ``gained``."""

    steps: tuple[str, ...]
    gained: str
    rule: str


class Rules:
    """The rules of some relationships, by the predicates that they begin and end with."""

    def __init__(self, relationships: Sequence[Relationship]) -> None:
        self.relationships = {one.name: one for one in relationships}
        self._turned_from: dict[str, list[Turned]] = defaultdict(list)
        self._turned_to: dict[str, list[Turned]] = defaultdict(list)
        self._joined_from: dict[str, list[tuple[Joined, int]]] = defaultdict(list)
        self._joined_to: dict[str, list[Joined]] = defaultdict(list)
        for turned in dict.fromkeys(rule for one in relationships for rule in _list_turned(one)):
            self._turned_from[turned.given].append(turned)
            self._turned_to[turned.gained].append(turned)
        for joined in dict.fromkeys(rule for one in relationships for rule in _list_joined(one)):
            self._joined_to[joined.gained].append(joined)
            for position, step in enumerate(joined.steps):
                self._joined_from[step].append((joined, position))
        self._origins = {name: self._find_origins(name) for name in self.relationships}
        self._groups = self._build_groups()

    def group_of(self, predicate: str) -> str | None:
        """Name the predicates whose edges can be joined with those of this one; None if none can."""
        return self._groups.get(predicate)

    def list_origins(self, predicate: str) -> frozenset[str]:
        """List the predicates that edges of this one can follow from, however far, with itself."""
        return self._origins[predicate]

    def _find_origins(self, predicate: str) -> frozenset[str]:
        met, waiting = {predicate}, [predicate]
        while waiting:
            one = waiting.pop()
            given = {turned.given for turned in self._turned_to[one]}
            given |= {step for joined in self._joined_to[one] for step in joined.steps}
            waiting += given - met
            met |= given
        return frozenset(met)

    def find_consequences(self, edge: Edge, graph: Graph) -> Iterator[tuple[Edge, Reason]]:
        """Yield what follows from an edge and others of a graph in one step."""
        for turned in self._turned_from[edge.predicate]:
            yield turned.apply(edge), Reason(turned.rule, (turned.given,))
        for joined, position in self._joined_from[edge.predicate]:
            sources, destinations = {edge.source}, {edge.destination}
            for step in reversed(joined.steps[:position]):
                sources = {one for node in sources for one in graph.before(step, node)}
            for step in joined.steps[position + 1 :]:
                destinations = {one for node in destinations for one in graph.after(step, node)}
            reason = Reason(joined.rule, joined.steps)
            for source in sources:
                for destination in destinations:
                    yield Edge(joined.gained, source, destination), reason

    def find_premises(self, edge: Edge, graph: Graph) -> Iterator[tuple[tuple[Edge, ...], Reason]]:
        """Yield the edges of a graph, some at a time, from which an edge follows in one step."""
        for turned in self._turned_to[edge.predicate]:
            if graph.holds(given := turned.undo(edge)):
                yield (given,), Reason(turned.rule, (turned.given,))
        for joined in self._joined_to[edge.predicate]:
            reason = Reason(joined.rule, joined.steps)
            for path in _walk(joined.steps, edge.source, edge.destination, graph):
                yield path, reason

    def _build_groups(self) -> dict[str, str]:
        """Name each set of predicates that rules connect and that has a joining rule after its first."""
        groups: dict[str, set[str]] = {name: {name} for name in self.relationships}
        for name in self.relationships:
            for other in self.list_origins(name):
                merged = groups[name] | groups[other]
                for one in merged:
                    groups[one] = merged
        joining = {name for name, rules in self._joined_to.items() if rules}
        return {name: min(group) for name, group in groups.items() if group & joining}


def _walk(steps: Sequence[str], source: Any, destination: Any, graph: Graph) -> Iterator[tuple[Edge, ...]]:
    if len(steps) == 1:
        if graph.holds(last := Edge(steps[0], source, destination)):
            yield (last,)
        return
    for node in graph.after(steps[0], source):
        for rest in _walk(steps[1:], node, destination, graph):
            yield (Edge(steps[0], source, node), *rest)


def _list_turned(one: Relationship) -> Iterator[Turned]:
    if one.symmetric:
        yield Turned(one.name, one.name, True, "symmetric")
    if one.inverse:
        yield Turned(one.name, one.inverse, True, "inverse")
        yield Turned(one.inverse, one.name, True, "inverse")
    if one.sub_property_of:
        yield Turned(one.name, one.sub_property_of, False, "subPropertyOf")


def _list_joined(one: Relationship) -> Iterator[Joined]:
    if one.transitive:
        yield Joined((one.name, one.name), one.name, "transitive")
    if one.chain:
        yield Joined(one.chain, one.name, "chain")
