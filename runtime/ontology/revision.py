"""What becomes of the edges of a tenant when fields state others than before. Pure.

Removing is the hard half: an edge that follows from a removed one may follow from others as well. First all
edges are set aside that follow from the removed ones in any way, as far as no field states them; then those
come back that still follow from what is left, or from each other in a way that begins there. So no two edges
keep each other alive.
"""

from collections import deque
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from runtime.errors import TooManyEdges
from runtime.ontology.known import Known
from runtime.ontology.rules import STATED, Edge, Reason, Rules


@dataclass(frozen=True, slots=True)
class Revision:
    """How stored edges change.

    ``gone``: stored edges that do not stay. ``new``: edges that are not stored as they should be, with the
    reason for each. ``kept``: stored edges that stay because of edges that this revision looked at.
    """

    gone: frozenset[Edge]
    new: Mapping[Edge, Reason]
    kept: frozenset[Edge]


def revise(
    rules: Rules, known: Known, removed: Collection[Edge], added: Mapping[Edge, Reason], most: int
) -> Revision:
    """Work out what changes when fields cease to state ``removed`` and begin to state ``added``.

    Without meaning while ``known`` misses something. Raises ``TooManyEdges`` for more than ``most`` edges.
    """
    kept: set[Edge] = set()
    doomed = _find_doomed(rules, known, removed, kept, most)
    left = _Left(known, doomed)
    queue = deque[Edge]()
    for edge, reason in added.items():
        known.holds(edge)  # by this it is written: as a new document or over the stored one
        left.put(edge, reason)
        queue.append(edge)
    for edge in doomed:
        if edge not in left.new and (found := next(iter(rules.find_premises(edge, left)), None)):
            left.put(edge, found[1])
            queue.append(edge)
    while queue:
        for edge, reason in rules.find_consequences(queue.popleft(), left):
            if not left.holds(edge):
                left.put(edge, reason)
                queue.append(edge)
                _require_few(len(doomed) + len(left.new), most)  # each time: a chain joins many at once
            elif edge not in left.new:
                kept.add(edge)
    return Revision(frozenset(doomed - left.new.keys()), left.new, frozenset(kept - left.new.keys()))


def _find_doomed(
    rules: Rules, known: Known, removed: Collection[Edge], kept: set[Edge], most: int
) -> set[Edge]:
    """Find the stored edges that follow from removed ones in some way, with these."""
    doomed: set[Edge] = set()
    waiting = [edge for edge in removed if known.holds(edge)]
    ceasing = frozenset(removed)
    while waiting:
        edge = waiting.pop()
        if edge in doomed:
            continue
        doomed.add(edge)
        _require_few(len(doomed), most)
        for one, _reason in rules.find_consequences(edge, known):
            if one in doomed or not known.holds(one):
                continue
            if known.is_stated(one) and one not in ceasing:
                kept.add(one)
            else:
                waiting.append(one)
    return doomed


@dataclass
class _Left:
    """The stored edges without the doomed ones, with the new ones."""

    known: Known
    doomed: set[Edge]
    new: dict[Edge, Reason] = field(default_factory=dict)
    _after: dict[tuple[str, object], set[object]] = field(default_factory=dict)
    _before: dict[tuple[str, object], set[object]] = field(default_factory=dict)

    def put(self, edge: Edge, reason: Reason) -> None:
        self.new[edge] = reason
        self._after.setdefault((edge.predicate, edge.source), set()).add(edge.destination)
        self._before.setdefault((edge.predicate, edge.destination), set()).add(edge.source)

    def after(self, predicate: str, node: object) -> set[object]:
        stored = self.known.after(predicate, node)
        left = {one for one in stored if Edge(predicate, node, one) not in self.doomed}
        return left | self._after.get((predicate, node), set())

    def before(self, predicate: str, node: object) -> set[object]:
        stored = self.known.before(predicate, node)
        left = {one for one in stored if Edge(predicate, one, node) not in self.doomed}
        return left | self._before.get((predicate, node), set())

    def holds(self, edge: Edge) -> bool:
        return edge in self.new or (edge not in self.doomed and self.known.holds(edge))


def _require_few(number: int, most: int) -> None:
    if number > most:
        message = (
            f"this write would change more than {most} edges of the ontology, by all that follows from it"
        )
        advice = "connect fewer records at once, remove the inverse or transitive of a predicate that many"
        raise TooManyEdges(f"{message}: {advice} records share, or raise the setting ontology.max-edges")


def close(rules: Rules, stated: Collection[Edge], most: int) -> Mapping[Edge, Reason]:
    """Return all edges that follow from some, with these."""
    nothing = Known(fresh={node for edge in stated for node in (edge.source, edge.destination)})
    return revise(rules, nothing, (), dict.fromkeys(stated, Reason(STATED, ())), most).new
