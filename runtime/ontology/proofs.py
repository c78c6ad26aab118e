"""Proves edges from some of the statements in a store. Pure.

A closure of the statements would have an edge for each two records of a way, and the caller asks for those of
one record. So first the stored edges show where statements can be that matter (``find_places``): a transitive
predicate is stored with all that follows, so that one reading finds all records of a way. Then each place is
given the edges around its record that follow in one step, and ways are walked from place to place: a step for
each record, however many edges there are between them.
"""

from collections import defaultdict, deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final

from runtime.errors import TooManyEdges
from runtime.ontology.known import Known
from runtime.ontology.rules import STATEMENT, Around, Edge, Reason, Rules

_STEPS_FOR_EACH: Final = 100
"""Steps that a proof may take for each place it may have."""


def choose_places(edges: Collection[Edge]) -> Mapping[Around, Collection[Edge]]:
    """Group edges by the record at one end, at the end where there are fewer records."""
    groups: dict[str, list[Edge]] = defaultdict(list)
    for edge in edges:
        groups[edge.predicate].append(edge)
    found: dict[Around, list[Edge]] = defaultdict(list)
    for predicate, group in groups.items():
        is_leaving = len({edge.source for edge in group}) <= len({edge.destination for edge in group})
        for edge in group:
            found[Around(predicate, edge.source if is_leaving else edge.destination, is_leaving)].append(edge)
    return found


def find_places(rules: Rules, known: Known, wanted: Iterable[Around], most: int) -> Collection[Around]:
    """Find where statements can be from which edges around some records follow.

    Without meaning while ``known`` misses something. Raises ``TooManyEdges`` for more than ``most`` places.
    """
    found: dict[Around, None] = {}
    waiting = deque(wanted)
    met = set(waiting)
    while waiting:
        around = waiting.popleft()  # those met first have the longest ways
        if around in found:
            continue  # on a way, with all that it leads to
        ways = known.around(around) if around.predicate in rules.transitive else ()
        for node in (around.node, *ways):
            place = around._replace(node=node)
            if place not in found:
                found[place] = None
                further = set(_list_given(rules, known, place)) - met
                met |= further
                waiting += further
        if len(met) > most:
            raise TooManyEdges("too much follows from each other")
    return found.keys()


def _list_given(rules: Rules, known: Known, place: Around) -> Iterator[Around]:
    """Yield the edges from which the edges around a record follow in one step, transitivity aside."""
    for given, _reason in rules.list_turned_to(place):
        yield given
    for steps, _reason in rules.list_chains_to(place):
        nodes: Collection[Any] = {place.node}
        for at, step in enumerate(steps):
            arounds = [Around(step, node, place.is_leaving) for node in nodes]
            yield from arounds
            if at < len(steps) - 1:
                nodes = {node for around in arounds for node in known.around(around)}


class Proofs:
    """What follows from some statements at some places."""

    def __init__(
        self, rules: Rules, places: Collection[Around], statements: Iterable[Edge], most: int
    ) -> None:
        self._rules = rules
        self._steps_left = _STEPS_FOR_EACH * most
        self._found: dict[Around, dict[Any, Reason]] = {place: {} for place in places}
        self._readers: dict[Around, set[Around]] = defaultdict(set)
        for predicate, source, destination in statements:
            for place, other in (
                (Around(predicate, source, True), destination),
                (Around(predicate, destination, False), source),
            ):
                if place in self._found:
                    self._found[place][other] = STATEMENT
        self._work_out()

    def prove(self, groups: Mapping[Around, Collection[Edge]]) -> Mapping[Edge, Reason]:
        """Return those of some edges that follow, with the reason of each."""
        proven: dict[Edge, Reason] = {}
        for place, edges in groups.items():
            nodes, direct = self._reach(place.predicate, [place.node], place), self._found[place]
            for edge in edges:
                node = edge.destination if place.is_leaving else edge.source
                if node in nodes:
                    proven[edge] = direct.get(node) or self._rules.transitive[edge.predicate]
        return proven

    def _work_out(self) -> None:
        """Give each place what follows in one step, until nothing is new. Those found last come first."""
        queue = deque(reversed(self._found))
        queued = set(queue)
        while queue:
            queued.discard(place := queue.popleft())
            found = self._found[place]
            new = {node: reason for node, reason in self._derive(place) if node not in found}
            changed = {at for node, reason in new.items() for at in self._put(place, node, reason)}
            further = {reader for at in changed for reader in self._readers[at]} - queued
            queued |= further
            queue += further

    def _put(self, place: Around, node: Any, reason: Reason) -> Iterator[Around]:
        """Give an edge to the places at both ends and yield those that lacked it.

        Were it found at each end by itself, two edges could be the reason of each other.
        """
        for at, end in ((place, node), (Around(place.predicate, node, not place.is_leaving), place.node)):
            if at in self._found and end not in self._found[at]:
                self._found[at][end] = reason
                yield at

    def _derive(self, place: Around) -> Iterator[tuple[Any, Reason]]:
        for given, reason in self._rules.list_turned_to(place):
            for node in self._turn(given, place):
                yield node, reason
        for steps, reason in self._rules.list_chains_to(place):
            nodes: Collection[Any] = [place.node]
            for step in steps:
                nodes = self._reach(step, nodes, place, place)
            for node in nodes:
                yield node, reason

    def _turn(self, given: Around, place: Around) -> Collection[Any]:
        """Find the records to which edges lead that are turned from those of another place."""
        if place.predicate not in self._rules.transitive:
            return self._reach(given.predicate, [place.node], given, place)
        # The edges of a way are turned one by one, each at its own place: the turned ones are a way, too.
        self._take_step()
        self._readers[given].add(place)
        nodes = [node for node in self._found.get(given, ()) if node not in self._found[place]]
        if not nodes or given.predicate in self._rules.transitive:
            return nodes
        # Edges turned from a way give that way back, which is the reason of its edges.
        reached = self._reach(place.predicate, [place.node], place)
        return [node for node in nodes if node not in reached]

    def _reach(
        self, predicate: str, begin: Collection[Any], way: Around, reader: Around | None = None
    ) -> Collection[Any]:
        """Find the records that edges of a predicate lead to from some, in the direction of ``way``.

        ``reader``: the place that depends on those that are looked at.
        """
        is_transitive, reached, waiting = predicate in self._rules.transitive, dict[Any, None](), list(begin)
        while waiting:
            at = Around(predicate, waiting.pop(), way.is_leaving)
            self._take_step()
            if reader is not None:
                self._readers[at].add(reader)
            new = [node for node in self._found.get(at, ()) if node not in reached]
            reached |= dict.fromkeys(new)
            if is_transitive:
                waiting += new
        return reached

    def _take_step(self) -> None:
        self._steps_left -= 1
        if self._steps_left < 0:
            raise TooManyEdges("too much follows from each other")
