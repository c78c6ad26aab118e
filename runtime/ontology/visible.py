"""Which edges a caller may know of.

A stated edge: both its records and a field that states it may be viewed. An inferred edge: it follows from
edges of which this holds. So nobody learns by inference of a record or a field that rules, scope or token
keep from them, and what they see is what an ontology over their own records would contain.

Where the caller may view all records of the types that a predicate can follow from, with all fields that
state such edges, this is known without looking. Else the edges are proven again, from what they may see.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, NamedTuple

from runtime.access.guard import find_access, remember
from runtime.call import Call
from runtime.errors import TooManyEdges, TooWide
from runtime.event_loop import Pace
from runtime.filter import EVERYTHING, Projection, by_ids
from runtime.model.paths import overlap_any
from runtime.ontology.edges import EdgeStore, read_ends, read_reason, run_aside_of
from runtime.ontology.known import Known
from runtime.ontology.proofs import Proofs, choose_places, find_places
from runtime.ontology.rules import STATED, Edge, Reason, Rules
from runtime.storage.access import Access, Action

Row = Mapping[str, Any]

_NAMES: Final = Projection(include=("refName", "displayName"))
_TENANT: Final = {"tenantId"}


class VisibleEdge(NamedTuple):
    """An edge that a caller may know of, why there is one, and what its ends are called."""

    edge: Edge
    reason: Reason
    row: Row
    source: Row
    destination: Row


def list_visible(call: Call, rules: Rules) -> list[str]:
    """List the predicates between record types that the caller may view: others are named to nobody."""
    catalog = call.service.catalog
    ends = {end for name in rules.relationships for end in ends_of(rules, name)}
    seen = {end for end in ends if find_access(call, catalog[end], Action.VIEW) is not None}
    return [name for name in sorted(rules.relationships) if seen.issuperset(ends_of(rules, name))]


@dataclass(frozen=True, slots=True)
class Viewer:
    """What a caller may see of the edges of one tenant. ``most``: edges that one answer looks at."""

    call: Call
    edges: EdgeStore
    most: int

    def find_access(self, name: str) -> Access | None:
        """Return the access to view records of a type; None where the caller may view none of them."""
        return find_access(self.call, self.call.service.catalog[name], Action.VIEW)

    def sees_all(self, predicate: str) -> bool:
        """Whether the caller may see all that edges of a predicate can follow from."""
        rules = self.edges.rules
        seen: bool = remember(self.call, (rules, "all", predicate), lambda: self._look_at_all(predicate))
        return seen

    def _look_at_all(self, predicate: str) -> bool:
        rules, origins = self.edges.rules, self.edges.rules.origins[predicate]
        types = {end for name in origins for end in ends_of(rules, name)}
        return all(self._sees_all_of(name, origins) for name in types)

    def sees_statements(self, predicate: str) -> bool:
        """Whether the caller may see every field that states edges of a predicate, in some records."""
        access = self.find_access(ends_of(self.edges.rules, predicate)[0])
        return access is not None and not _hides_statement(access, {predicate})

    def shows_statement(self, row: Row) -> bool:
        """Whether a stored edge is stated by a field that the caller may see. Its ends are not looked at."""
        return self._show_statement(read_ends(row), read_reason(row)) is not None

    async def find_proven(self, edges: Collection[Edge]) -> Collection[Edge]:
        """Return those of some inferred edges that the caller may know of. Raises ``TooWide``.

        Which records they are between is not looked at, only those between which edges are stated.
        """
        return (await self._find_proofs(edges)).keys() if edges else ()

    async def find_visible(self, rows: Sequence[Row]) -> list[VisibleEdge]:
        """Return those of some stored edges that the caller may know of. Raises ``TooWide``."""
        found = [(read_ends(row), read_reason(row), row) for row in rows]
        if not found:
            return []
        seen = await self._read_ends(edge for edge, _reason, _row in found)
        proven: dict[Edge, Reason] = {}
        unsure: list[Edge] = []
        for edge, reason, _row in found:
            if not self._is_between(edge, seen):
                continue
            if (shown := self._show_statement(edge, reason)) is not None:
                proven[edge] = shown
            elif reason.rule != STATED and self.sees_all(edge.predicate):
                proven[edge] = reason
            else:
                unsure.append(edge)
        if unsure:
            proven |= await self._find_proofs(unsure)
        return [
            VisibleEdge(edge, proven[edge], row, *(seen[end] for end in self._name_ends(edge)))
            for edge, _reason, row in found
            if edge in proven
        ]

    async def _find_proofs(self, edges: Collection[Edge]) -> Mapping[Edge, Reason]:
        """Prove edges again, from statements that the caller may see; leave out the others."""
        known, store, groups = Known(), self.edges, choose_places(edges)
        try:
            places = await store.work_out(
                partial(find_places, store.rules, known, groups, self.most), known, self.most
            )
            visible = await self._find_shown(await store.find_statements(places, self.most))
            return await run_aside_of(
                lambda: Proofs(store.rules, places, visible, self.most).prove(groups), len(places)
            )
        except TooManyEdges as error:
            message = f"what you may see of these edges follows from more than {self.most} others"
            raise TooWide(
                f"{message}: name one predicate, or a record with fewer edges", cause=error
            ) from None

    async def _find_shown(self, stated: Mapping[Edge, Reason]) -> Collection[Edge]:
        """Find the stated edges of which the caller may see both records and a field."""
        seen, visible, pace = await self._read_ends(stated), [], Pace()
        for edge, reason in stated.items():
            await pace.step()
            if self._is_between(edge, seen) and self._show_statement(edge, reason) is not None:
                visible.append(edge)
        return visible

    def _show_statement(self, edge: Edge, reason: Reason) -> Reason | None:
        """Return the reason of a stated edge with the fields that the caller may see; None without any."""
        access = self.find_access(self.edges.rules.relationships[edge.predicate].domain)
        if reason.rule != STATED or access is None:
            return None
        fields = tuple(_list_shown_fields(access, edge.predicate, reason.of))
        return Reason(STATED, fields) if fields else None

    def _sees_all_of(self, name: str, predicates: Collection[str]) -> bool:
        access = self.find_access(name)
        if access is None or access.rules != EVERYTHING or not _TENANT.issuperset(access.domain.bound[0]):
            return False
        return not _hides_statement(access, predicates)

    async def _read_ends(self, edges: Iterable[Edge]) -> Mapping[tuple[str, str], Row]:
        """Read the names of the records at the ends of some edges, as far as the caller may view them."""
        wanted: dict[str, set[str]] = defaultdict(set)
        for edge in edges:
            for name, record_id in self._name_ends(edge):
                wanted[name].add(record_id)
        accesses = {name: self.find_access(name) for name in sorted(wanted)}
        sought = [(one, by_ids(sorted(wanted[name]))) for name, one in accesses.items() if one is not None]
        if not sought:
            return {}
        (access, match), *others = sought
        parts = await self.call.store.find_across(access, match, others, _NAMES)
        names = [one.kind.name for one, _match in sought]
        return {(name, str(row["_id"])): row for name, rows in zip(names, parts, strict=True) for row in rows}

    def _name_ends(self, edge: Edge) -> tuple[tuple[str, str], tuple[str, str]]:
        domain, range_ = ends_of(self.edges.rules, edge.predicate)
        return (domain, edge.source), (range_, edge.destination)

    def _is_between(self, edge: Edge, seen: Mapping[tuple[str, str], Row]) -> bool:
        return all(end in seen for end in self._name_ends(edge))


def _list_shown_fields(access: Access, predicate: str, stored: Iterable[str]) -> Iterator[str]:
    """Yield the fields that state an edge and that the caller may see, by their names of today.

    An edge names the field as it was called when the record was written. One that states no such edges today
    may be any that does, under another name.
    """
    stating = [one.stored for one in access.kind.references if one.predicate == predicate]
    for path in map(access.kind.name_as_today, stored):
        may_be = [path] if path in stating else [path, *stating]
        if not any(overlap_any(one, access.hidden) for one in may_be):
            yield path


def _hides_statement(access: Access, predicates: Collection[str]) -> bool:
    """Whether a field that states edges of some predicates is hidden."""
    stating = [one.stored for one in access.kind.references if one.predicate in predicates]
    return any(overlap_any(path, access.hidden) for path in stating)


def ends_of(rules: Rules, predicate: str) -> tuple[str, str]:
    """Return the record types that a predicate leads from and to."""
    return rules.relationships[predicate].domain, rules.relationships[predicate].range
