"""The rules of an ontology: what follows from an edge, and what an edge can follow from. Pure.

A rule of one edge (inverse, symmetric, a wider predicate) gives another edge between the same two records.
A rule of several (transitive, a chain) joins edges end to end. Record types need not be looked at: the
generator has checked that the ends of joined predicates fit.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol

from runtime.model.ontology import Relationship


class Edge(NamedTuple):
    """That a record is connected with another by a predicate; the ends are ids."""

    predicate: str
    source: Any
    destination: Any


class Around(NamedTuple):
    """All edges of a predicate that leave a record, or that reach it."""

    predicate: str
    node: Any
    is_leaving: bool


class Reason(NamedTuple):
    """Why there is an edge: the word of the rule, and the predicates or fields it follows from."""

    rule: str
    of: tuple[str, ...]


STATED: Final = "field"
"""The rule of an edge that a reference field states."""

STATEMENT: Final = Reason(STATED, ())
"""The reason of a stated edge where it does not matter which fields state it."""

TRANSITIVE: Final = "transitive"
"""The rule that joins edges of one predicate."""

CHAIN: Final = "chain"
"""The rule that joins edges of several predicates."""


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
    """The rules of some relationships, by the predicates that they begin and end with.

    ``origins``: the predicates that edges of one can follow from, however far, with itself.
    """

    def __init__(self, relationships: Sequence[Relationship]) -> None:
        self.relationships = {one.name: one for one in relationships}
        self._turned_from: dict[str, list[Turned]] = defaultdict(list)
        self._turned_to: dict[str, list[Turned]] = defaultdict(list)
        self._joined_from: dict[str, list[tuple[Joined, int]]] = defaultdict(list)
        self._joined_to: dict[str, list[Joined]] = defaultdict(list)
        self.transitive: dict[str, Reason] = {}
        for turned in dict.fromkeys(rule for one in relationships for rule in _list_turned(one)):
            self._turned_from[turned.given].append(turned)
            self._turned_to[turned.gained].append(turned)
        for joined in dict.fromkeys(_list_joined(relationships)):
            self._joined_to[joined.gained].append(joined)
            if joined.rule == TRANSITIVE:
                self.transitive[joined.gained] = Reason(joined.rule, joined.steps)
                continue
            for position, step in enumerate(joined.steps):
                self._joined_from[step].append((joined, position))
        self.origins = {name: self._find_origins(name) for name in self.relationships}
        self._groups = self._build_groups()

    def group_of(self, predicate: str) -> str | None:
        """Name the predicates whose edges can be joined with those of this one; None if none can."""
        return self._groups.get(predicate)

    def _find_origins(self, predicate: str) -> frozenset[str]:
        met, waiting = {predicate}, [predicate]
        while waiting:
            one = waiting.pop()
            given = {turned.given for turned in self._turned_to[one]}
            given |= {step for joined in self._joined_to[one] for step in joined.steps}
            waiting += given - met
            met |= given
        return frozenset(met)

    def find_consequences(
        self, edge: Edge, graph: Graph, *, is_joined: bool = False
    ) -> Iterator[tuple[Edge, Reason]]:
        """Yield what follows from an edge and others in one step, and by transitivity in any number.

        ``is_joined``: whatever way this edge is a part of, the edges it was joined of are parts of, too.
        """
        for turned in self._turned_from[edge.predicate]:
            yield turned.apply(edge), Reason(turned.rule, (turned.given,))
        if not is_joined and edge.predicate in self.transitive:
            yield from self._extend(edge, graph)
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

    def _extend(self, edge: Edge, graph: Graph) -> Iterator[tuple[Edge, Reason]]:
        """Yield the edges that an edge of a transitive predicate is a part of the way of."""
        name, reason = edge.predicate, self.transitive[edge.predicate]
        destinations = (edge.destination, *graph.after(name, edge.destination))
        for source in (edge.source, *graph.before(name, edge.source)):
            for destination in destinations:
                yield Edge(name, source, destination), reason

    def find_premises(
        self, edge: Edge, graph: Graph, *, without_transitive: bool = False
    ) -> Iterator[tuple[tuple[Edge, ...], Reason]]:
        """Yield the edges of a graph, some at a time, from which an edge follows in one step."""
        for turned in self._turned_to[edge.predicate]:
            if graph.holds(given := turned.undo(edge)):
                yield (given,), Reason(turned.rule, (turned.given,))
        for joined in self._joined_to[edge.predicate]:
            if without_transitive and joined.rule == TRANSITIVE:
                continue
            reason = Reason(joined.rule, joined.steps)
            for path in _walk(joined.steps, edge.source, edge.destination, graph):
                yield path, reason

    def list_turned_to(self, around: Around) -> Iterator[tuple[Around, Reason]]:
        """Yield which edges around a record give such edges around it, by rules of one edge."""
        for turned in self._turned_to[around.predicate]:
            given = Around(turned.given, around.node, around.is_leaving is not turned.is_back)
            yield given, Reason(turned.rule, (turned.given,))

    def list_chains_to(self, around: Around) -> Iterator[tuple[Sequence[str], Reason]]:
        """Yield the steps from a record by which chains give such edges around it."""
        for joined in self._joined_to[around.predicate]:
            if joined.rule != TRANSITIVE:
                steps = joined.steps if around.is_leaving else joined.steps[::-1]
                yield steps, Reason(joined.rule, joined.steps)

    def _build_groups(self) -> dict[str, str]:
        """Name each set of predicates that rules connect and that has a joining rule after its first."""
        groups: dict[str, set[str]] = {name: {name} for name in self.relationships}
        for name in self.relationships:
            for other in self.origins[name]:
                merged = groups[name] | groups[other]
                for one in merged:
                    groups[one] = merged
        joining = {name for name, rules in self._joined_to.items() if rules}
        return {name: min(group) for name, group in groups.items() if group & joining}


def is_joined(reason: Reason, *, of_joined: bool) -> bool:
    """Return whether an edge is joined of others by transitivity, or turned from edges that are.

    Turning the edges of a way one by one gives the same way, so nothing more follows from it as a whole.
    ``of_joined``: the same of the edge that it follows from.
    """
    return reason.rule == TRANSITIVE or (of_joined and reason.rule != CHAIN)


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


def _list_joined(relationships: Sequence[Relationship]) -> Iterator[Joined]:
    for one in relationships:
        if one.transitive:
            yield _join_steps(one.name)
        if one.chain:
            yield Joined(one.chain, one.name, CHAIN)
    declared = {one.name for one in relationships if one.transitive}
    for one in relationships:  # the way back of a way is one: as a rule of its own it is walked, not turned
        if one.inverse and not declared.isdisjoint((one.name, one.inverse)):
            yield _join_steps(one.name)
            yield _join_steps(one.inverse)


def _join_steps(name: str) -> Joined:
    return Joined((name, name), name, TRANSITIVE)
