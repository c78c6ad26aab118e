"""Edges with their ends: what is found while edges are worked out. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Set
from typing import Any, Final

from runtime.ontology.known import Known
from runtime.ontology.rules import Edge, Reason

_NONE: Final[frozenset[Any]] = frozenset()


class EdgeSet:
    """A set of edges that is looked into by one of their ends, too."""

    def __init__(self) -> None:
        self._edges: set[Edge] = set()
        self._after: dict[str, dict[Any, set[Any]]] = defaultdict(lambda: defaultdict(set))
        self._before: dict[str, dict[Any, set[Any]]] = defaultdict(lambda: defaultdict(set))

    def add(self, edge: Edge) -> None:
        self._edges.add(edge)
        self._after[edge.predicate][edge.source].add(edge.destination)
        self._before[edge.predicate][edge.destination].add(edge.source)

    def __contains__(self, edge: Edge) -> bool:
        return edge in self._edges

    def __len__(self) -> int:
        return len(self._edges)

    def __iter__(self) -> Iterator[Edge]:
        return iter(self._edges)

    def by_source(self, predicate: str) -> Mapping[Any, Set[Any]]:
        """Return the destinations of edges of a predicate, by their sources."""
        return self._after[predicate]

    def by_destination(self, predicate: str) -> Mapping[Any, Set[Any]]:
        """Return the sources of edges of a predicate, by their destinations."""
        return self._before[predicate]

    def after(self, predicate: str, node: Any) -> Set[Any]:
        """Return the records that edges of a predicate lead to from a record."""
        return self._after[predicate].get(node, _NONE)

    def before(self, predicate: str, node: Any) -> Set[Any]:
        """Return the records from which edges of a predicate lead to a record."""
        return self._before[predicate].get(node, _NONE)


class RemainingEdges:
    """The stored edges without the doomed ones, with the new ones."""

    def __init__(self, known: Known, doomed: EdgeSet) -> None:
        self.known = known
        self.doomed = doomed
        self.new: dict[Edge, Reason] = {}
        self._put = EdgeSet()

    def put(self, edge: Edge, reason: Reason) -> None:
        """Add an edge, with the reason why there is one."""
        self.new[edge] = reason
        self._put.add(edge)

    def after(self, predicate: str, node: Any) -> Set[Any]:
        """Return the records that edges of a predicate lead to from a record."""
        stored = self.known.after(predicate, node) - self.doomed.after(predicate, node)
        return stored | self._put.after(predicate, node)

    def before(self, predicate: str, node: Any) -> Set[Any]:
        """Return the records from which edges of a predicate lead to a record."""
        stored = self.known.before(predicate, node) - self.doomed.before(predicate, node)
        return stored | self._put.before(predicate, node)

    def holds(self, edge: Edge) -> bool:
        return edge in self.new or (edge not in self.doomed and self.known.holds(edge))
