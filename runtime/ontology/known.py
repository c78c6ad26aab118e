"""What is known of the stored edges of a tenant, and what has to be read to go on. Pure.

Working out what follows takes edges that are only found on the way. So the work is a function of ``Known``:
it runs with what is known, which notes what was missing; that is read in one go, and the work runs again. A
transitive predicate is stored with all that follows, so two or three rounds are enough.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Set
from typing import Any, Final

from runtime.ontology.rules import Around, Edge

Missing = Edge | Around

_NONE: Final[frozenset[Any]] = frozenset()


class Known:
    """Stored edges as far as they were read. ``fresh``: records that have none, since they are new."""

    def __init__(self, fresh: Collection[Any] = ()) -> None:
        self.missing: set[Missing] = set()
        self._fresh = frozenset(fresh)
        self._is_stated: dict[Edge, bool] = {}
        self._read: set[Missing] = set()
        self._after: dict[tuple[str, Any], set[Any]] = defaultdict(set)
        self._before: dict[tuple[str, Any], set[Any]] = defaultdict(set)

    def add(self, asked: Iterable[Missing], found: Iterable[tuple[Edge, bool]]) -> None:
        """Take in what was read: all edges among ``asked``, each with whether a field states it."""
        self._read.update(asked)
        self.missing.difference_update(self._read)
        for edge, is_stated in found:
            self._is_stated[edge] = is_stated
            self._after[edge.predicate, edge.source].add(edge.destination)
            self._before[edge.predicate, edge.destination].add(edge.source)

    def __len__(self) -> int:
        return len(self._is_stated)

    def around(self, around: Around) -> Set[Any]:
        """Return the records at the other ends of edges."""
        if around not in self._read and around.node not in self._fresh:
            self.missing.add(around)
        ends = self._after if around.is_leaving else self._before
        return ends.get((around.predicate, around.node), _NONE)

    def after(self, predicate: str, node: Any) -> Set[Any]:
        """Return the records that edges of a predicate lead to from a record."""
        return self.around(Around(predicate, node, True))

    def before(self, predicate: str, node: Any) -> Set[Any]:
        """Return the records from which edges of a predicate lead to a record."""
        return self.around(Around(predicate, node, False))

    def holds(self, edge: Edge) -> bool:
        if edge in self._is_stated:
            return True
        predicate, source, destination = edge
        if (
            source not in self._fresh
            and destination not in self._fresh
            and (predicate, source, True) not in self._read  # a tuple equals an ``Around``
            and (predicate, destination, False) not in self._read
            and edge not in self._read
        ):
            self.missing.add(edge)
        return False

    def is_stated(self, edge: Edge) -> bool:
        """Return whether a field states an edge that is stored."""
        return self._is_stated.get(edge, False)
