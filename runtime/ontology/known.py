"""What is known of the stored edges of a tenant, and what has to be read to go on. Pure.

Working out what follows takes edges that are only found on the way. So the work is a function of ``Known``:
it runs with what is known, which notes what was missing; that is read in one go, and the work runs again. A
transitive predicate is stored with all that follows, so two or three rounds are enough.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any, Final, NamedTuple

from runtime.ontology.rules import Edge


class Around(NamedTuple):
    """All edges of a predicate that leave a record, or that reach it."""

    predicate: str
    node: Any
    is_leaving: bool


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

    def after(self, predicate: str, node: Any) -> Collection[Any]:
        """Return the records that edges of a predicate lead to from a record."""
        return self._after[predicate, node] if self._knows(Around(predicate, node, True)) else _NONE

    def before(self, predicate: str, node: Any) -> Collection[Any]:
        """Return the records from which edges of a predicate lead to a record."""
        return self._before[predicate, node] if self._knows(Around(predicate, node, False)) else _NONE

    def holds(self, edge: Edge) -> bool:
        """Return whether an edge is stored."""
        if edge in self._is_stated:
            return True
        wide = Around(edge.predicate, edge.source, True), Around(edge.predicate, edge.destination, False)
        if not any(one in self._read for one in wide) and not self._is_new(edge):
            self._knows(edge)
        return False

    def is_stated(self, edge: Edge) -> bool:
        """Return whether a field states an edge that is stored."""
        return self._is_stated.get(edge, False)

    def _knows(self, asked: Missing) -> bool:
        if asked in self._read or self._is_new(asked):
            return True
        self.missing.add(asked)
        return False

    def _is_new(self, asked: Missing) -> bool:
        if isinstance(asked, Around):
            return asked.node in self._fresh
        return asked.source in self._fresh or asked.destination in self._fresh
