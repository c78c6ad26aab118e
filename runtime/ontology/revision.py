"""What becomes of the edges of a tenant when fields state others than before. Pure.

Removing is the hard half: an edge that follows from a removed one may follow from others as well. First all
edges are set aside that follow from the removed ones in any way, as far as no field states them; then those
come back that still follow from what is left, or from each other in a way that begins there. So no two edges
keep each other alive.

The edges of a transitive predicate are stored with all that follows. So an edge that comes or goes otherwise
is joined with all ways to it and from it at once, and what this gives need not be joined again: a step for
each edge that changes, where joining all with all would take one for each edge and record on its way.
"""

from collections import deque
from collections.abc import Callable, Collection, Mapping, Set
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from runtime.errors import TooManyEdges
from runtime.ontology.edge_set import EdgeSet, RemainingEdges
from runtime.ontology.known import Known
from runtime.ontology.rules import STATEMENT, Edge, Reason, Rules, is_joined

MOST_DOOMED_FOR_EACH: Final = 10
"""Edges that may be set aside for each that may be changed: most of them come back where ways are many."""


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
    rules: Rules,
    known: Known,
    removed: Collection[Edge],
    added: Mapping[Edge, Reason],
    most: int,
    *,
    before: int = 0,
) -> Revision:
    """Work out what changes when fields cease to state ``removed`` and begin to state ``added``.

    Without meaning while ``known`` misses something. Raises ``TooManyEdges`` for more than ``most`` edges,
    with as many as have changed ``before`` it. Edges that come back are not counted, so that what could be
    stated can cease to be.
    """
    kept: set[Edge] = set()
    doomed = _find_doomed(rules, known, removed, kept, most)
    left = RemainingEdges(known, doomed)
    _restore(rules, left)
    queue = deque((edge, True, is_joined(reason, of_joined=False)) for edge, reason in left.new.items())
    for edge, reason in added.items():
        known.holds(edge)  # by this it is written: as a new document or over the stored one
        left.put(edge, reason)
        queue.append((edge, False, False))
    number = before + sum(edge not in doomed for edge in left.new)
    while queue:
        edge, is_extended, of_joined = queue.popleft()
        for one, reason in rules.find_consequences(edge, left, is_joined=is_extended):
            if not left.holds(one):
                left.put(one, reason)
                its = is_joined(reason, of_joined=of_joined)
                queue.append((one, its, its))
                number += one not in doomed
                _require_few(number, most)  # each time: a chain joins many at once
            elif one not in left.new:
                kept.add(one)
    gone = frozenset(edge for edge in doomed if edge not in left.new)
    _require_few(number + len(gone), most)
    return Revision(gone, left.new, frozenset(kept - left.new.keys()))


def _find_doomed(
    rules: Rules, known: Known, removed: Collection[Edge], kept: set[Edge], most: int
) -> EdgeSet:
    """Find the stored edges that follow from removed ones in some way, with these."""
    doomed, extended = EdgeSet(), set[Edge]()
    waiting = [(edge, False) for edge in removed if known.holds(edge)]
    ceasing = frozenset(removed)
    while waiting:
        edge, of_joined = waiting.pop()
        if edge in (doomed if of_joined else extended):
            continue
        doomed.add(edge)
        if not of_joined:
            extended.add(edge)
        _require_few(len(doomed) + len(known.missing), MOST_DOOMED_FOR_EACH * most)
        for one, reason in rules.find_consequences(edge, known, is_joined=of_joined):
            its = is_joined(reason, of_joined=of_joined)
            if one in (doomed if its else extended) or not known.holds(one):
                continue
            if known.is_stated(one) and one not in ceasing:
                kept.add(one)
            else:
                waiting.append((one, its))
    return doomed


def _restore(rules: Rules, left: RemainingEdges) -> None:
    """Put back doomed edges that follow from what is left in one step, or by transitivity in any number."""
    for edge in left.doomed:
        found = next(iter(rules.find_premises(edge, left, without_transitive=True)), None)
        if found is not None:
            left.put(edge, found[1])
    for predicate, reason in rules.transitive.items():
        leaving, reaching = left.doomed.by_source(predicate), left.doomed.by_destination(predicate)
        if len(leaving) <= len(reaching):
            for source, lost in leaving.items():
                for one in _find_reached(partial(left.after, predicate), source, lost):
                    left.put(Edge(predicate, source, one), reason)
        else:
            for destination, lost in reaching.items():
                for one in _find_reached(partial(left.before, predicate), destination, lost):
                    left.put(Edge(predicate, one, destination), reason)


def _find_reached(go_on: Callable[[Any], Set[Any]], begin: Any, lost: Set[Any]) -> Set[Any]:
    """Find the lost ends that several steps lead to; the ends of all steps are left or lost."""
    waiting = list(met := go_on(begin))
    missing = set(lost - met)
    while waiting and missing:
        new = go_on(waiting.pop()) & missing
        missing -= new
        waiting += new
    return lost - met - missing


def _require_few(number: int, most: int) -> None:
    if number > most:
        raise TooManyEdges(
            f"this write would change more than {most} edges of the ontology, by all that follows from it: "
            "write fewer records at once, take a long way apart from its ends, remove the inverse or "
            "transitive of a predicate that many records share, or raise the setting ontology.max-edges"
        )


def close(rules: Rules, stated: Collection[Edge], most: int) -> Mapping[Edge, Reason]:
    """Return all edges that follow from some, with these."""
    nothing = Known(fresh={node for edge in stated for node in (edge.source, edge.destination)})
    return revise(rules, nothing, (), dict.fromkeys(stated, STATEMENT), most).new


def gather_premises(rules: Rules, known: Known, edges: Collection[Edge], most: int) -> set[Edge]:
    """Collect the stored edges from which some can follow, with these."""
    met, waiting = set(edges), list(edges)
    for edge in edges:
        known.holds(edge)
    while waiting:
        for premises, _reason in rules.find_premises(waiting.pop(), known):
            new = set(premises) - met
            met |= new
            waiting += new
            _require_few(len(met), most)
    return met


def find_incomplete(rules: Rules, known: Known, edges: Mapping[Edge, Reason]) -> dict[Edge, Reason]:
    """Find the stored edges from which something follows in one step that is not stored."""
    found = {}
    for edge, reason in edges.items():
        of_joined = is_joined(reason, of_joined=False)
        following = [one for one, _reason in rules.find_consequences(edge, known, is_joined=of_joined)]
        if sum(map(known.holds, following)) < len(following):  # each is looked at: it notes what is not known
            found[edge] = reason
    return found
