"""Stored edges of one tenant: reading what a question needs, writing what a revision says."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache, partial
from typing import Any, Final, TypeVar

from runtime.aside import run_long
from runtime.errors import TooManyEdges
from runtime.filter import Predicate, Projection, any_of, by_ids, equals, one_of, refers_to
from runtime.ontology.known import Known, Missing
from runtime.ontology.revision import Revision
from runtime.ontology.rules import STATED, Around, Edge, Reason, Rules
from runtime.principal import DomainScope
from runtime.records.change import Outdated
from runtime.storage.access import Access, Action
from runtime.storage.as_service import as_service
from runtime.storage.store import LOCK, AnyStore, Changes, Transaction
from runtime.storage.wire import create_id, derive_id, parse_id
from runtime.system.documents import OntologyEdgeDocument, OntologyLockDocument
from runtime.system.record_types import ONTOLOGY_EDGE, ONTOLOGY_LOCK

T = TypeVar("T")
M = TypeVar("M", bound=Missing)

ENDS: Final = Projection(include=("predicate", "source.id", "destination.id", "inferred"))
WITH_REASON: Final = Projection(include=(*ENDS.include, "provenance"))

_IS_THERE: Final = Projection(include=("predicate",), may_fill=True)
"""What an index alone returns of any edge."""

_READ_FOR_EACH: Final = 10
"""Edges that may be read for each that may be changed."""

_MOST_AT_ONCE: Final = 1000
"""Edges of one command, and those that the event loop builds or takes in without giving others their turn."""

_FEW: Final = 30
"""Edges of which all that follows is worked out sooner than a thread has begun."""


@dataclass(frozen=True, slots=True)
class EdgeStore:
    """The edges of one tenant in one realm, under the rules of its ontology."""

    rules: Rules
    store: AnyStore
    database: str
    tenant: str

    def access(self, action: Action = Action.VIEW) -> Access[OntologyEdgeDocument]:
        """Return access to the edges of the tenant."""
        return _open(self.database, self.tenant, action)

    async def work_out(self, work: Callable[[], T], known: Known, most: int) -> T:
        """Run ``work`` over ``known`` until nothing is missing. Raises ``TooManyEdges``, what it raises."""
        while True:
            try:
                answer = await run_aside_of(work, len(known))
            except TooManyEdges:
                if not known.missing:
                    raise
            else:
                if not known.missing:
                    return answer
            for asked in _split(known.missing):
                await self._read(asked, known, _READ_FOR_EACH * most)

    async def _read(self, asked: Collection[Missing], known: Known, most: int) -> None:
        """Read what is missing, up to ``most`` edges in ``known``. Raises ``TooManyEdges``."""
        rows = await self.store.find(self.access(), self.match(asked), projection=ENDS, limit=most + 1)
        found = ((read_ends(row), not row["inferred"]) for row in rows)
        await run_aside_of(partial(known.add, asked, found), len(rows))
        if len(known) > most:  # not all that was asked for may be here, and some may have been known
            message = f"what follows from this depends on more than {most} edges of the ontology"
            raise TooManyEdges(f"{message}: connect fewer records with each other")

    async def find_any(self, places: Collection[Around]) -> bool:
        """Return whether there is an edge at one of some places."""
        if not places:
            return False
        return bool(await self.store.find(self.access(), self.match(places), projection=_IS_THERE, limit=1))

    async def find_stated(self, predicates: Collection[str], sources: Collection[str]) -> dict[Edge, Reason]:
        """Find the edges by some predicates that fields of some records state, as they are stored."""
        match = one_of("predicate", sorted(predicates)) & refers_to(["source.id"], sorted(sources))
        rows = await self.store.find(self.access(), match & equals(inferred=False), projection=WITH_REASON)
        return _read_reasons(rows)

    async def find_statements(self, places: Collection[Around], most: int) -> dict[Edge, Reason]:
        """Find the stated edges at some places. Raises ``TooManyEdges`` for more than ``most``."""
        found: dict[Edge, Reason] = {}
        for some in _split(places):
            match = self.match(some) & equals(inferred=False)
            rows = await self.store.find(self.access(), match, projection=WITH_REASON, limit=most + 1)
            found |= await run_aside_of(partial(_read_reasons, rows), len(rows))
            if len(found) > most:
                raise TooManyEdges(
                    "too many edges are stated around these records: connect fewer with each other"
                )
        return found

    async def find_reasons(self, edges: Collection[Edge]) -> dict[Edge, Reason]:
        """Find why there are some edges, as they are stored."""
        found: dict[Edge, Reason] = {}
        for some in _split(edges):
            rows = await self.store.find(self.access(), self._by_edges(some), projection=WITH_REASON)
            found |= _read_reasons(rows)
        return found

    async def write(self, revision: Revision, known: Known, at: datetime) -> None:
        """Store what a revision says. Raises ``Outdated`` where another write came first."""
        access = self.access(Action.UPDATE)
        for some in _split(revision.gone):
            await self.store.delete_many(access, self._by_edges(some))
        changed = {edge: reason for edge, reason in revision.new.items() if known.holds(edge)}
        for some in _split(await self._find_changed(changed)):
            updates = [
                (self._by_edges([edge]), Changes(set=_render(revision.new[edge]))) for edge in sorted(some)
            ]
            await self.store.update_each(access, updates)
        for some in _split(sorted(revision.new.keys() - changed.keys())):
            if await self.store.insert_many(
                access, [self._build(edge, revision.new[edge], at) for edge in some]
            ):
                raise Outdated
        for some in _split([edge for edge in revision.kept if self.rules.group_of(edge.predicate) is None]):
            await self.store.update_many(access, self._by_edges(some), _touch())

    async def _find_changed(self, changed: Mapping[Edge, Reason]) -> Collection[Edge]:
        """Find the stored edges that have another reason: many come back as they were.

        Edges that no rule joins stay: writing to them is what lets their writers meet.
        """
        joined = [edge for edge in changed if self.rules.group_of(edge.predicate) is not None]
        same = await self.find_reasons(joined) if len(joined) > 1 else {}
        return [edge for edge, reason in changed.items() if same.get(edge) != reason]

    async def take_locks(self, transaction: Transaction, edges: Iterable[Edge]) -> None:
        """Write to the locks of the groups of some edges, so that other writers of these conflict."""
        groups = {group for edge in edges if (group := self.rules.group_of(edge.predicate)) is not None}
        domain = DomainScope(tenant_id=self.tenant)
        access = as_service(ONTOLOGY_LOCK, self.database, Action.UPDATE, domain)
        for group in sorted(groups):
            own_id = derive_id(self.tenant, group)
            if not await transaction.update_many(access, by_ids([own_id]), _touch()):
                document: OntologyLockDocument = {"group": group}
                if await transaction.insert_many(access, [self._complete(document, own_id)]):
                    raise Outdated

    def match(self, asked: Collection[Missing]) -> Predicate:
        """Match the edges around some records, and some edges themselves."""
        around: dict[tuple[str, str], list[str]] = defaultdict(list)
        single = []
        for one in asked:
            if isinstance(one, Around):
                around["source.id" if one.is_leaving else "destination.id", one.predicate].append(one.node)
            else:
                single.append(one)
        parts = [
            equals(predicate=predicate) & refers_to([key], sorted(nodes))
            for (key, predicate), nodes in sorted(around.items())
        ]
        return any_of([*parts, self._by_edges(single)] if single else parts)

    def _by_edges(self, edges: Collection[Edge]) -> Predicate:
        return by_ids([derive_id(self.tenant, *edge) for edge in edges])

    def _build(self, edge: Edge, reason: Reason, at: datetime) -> Any:
        relationship = self.rules.relationships[edge.predicate]
        document: OntologyEdgeDocument = {
            "predicate": edge.predicate,
            "source": {"type": relationship.domain, "id": parse_id(edge.source)},
            "destination": {"type": relationship.range, "id": parse_id(edge.destination)},
            "timestamp": at,
        }
        return self._complete({**document, **_render(reason)}, derive_id(self.tenant, *edge))

    def _complete(self, document: Mapping[str, Any], own_id: Any) -> Any:
        """Add what every stored record needs; edges are many, so no more than that."""
        return {"_id": own_id, "refName": str(own_id), "dataDomain": {"tenantId": self.tenant}, **document}


@lru_cache(maxsize=1024)
def _open(database: str, tenant: str, action: Action) -> Access[OntologyEdgeDocument]:
    return as_service(ONTOLOGY_EDGE, database, action, DomainScope(tenant_id=tenant))


async def run_aside_of(work: Callable[[], T], number: int) -> T:
    """Run work on so many edges: at once, or in a thread where others would have to wait for it."""
    return work() if number <= _FEW else await run_long(work)


def _split(edges: Collection[M]) -> Iterator[Collection[M]]:
    """Split edges into parts that one command can have."""
    whole = list(edges)
    return (whole[at : at + _MOST_AT_ONCE] for at in range(0, len(whole), _MOST_AT_ONCE))


def read_ends(row: Mapping[str, Any]) -> Edge:
    """Return the edge that a document holds."""
    return Edge(row["predicate"], str(row["source"]["id"]), str(row["destination"]["id"]))


def read_reason(row: Mapping[str, Any]) -> Reason:
    """Return why there is the edge that a document holds."""
    return Reason(row["provenance"]["rule"], tuple(row["provenance"]["of"]))


def _read_reasons(rows: Iterable[Mapping[str, Any]]) -> dict[Edge, Reason]:
    return {read_ends(row): read_reason(row) for row in rows}


def _render(reason: Reason) -> dict[str, Any]:
    return {"inferred": reason.rule != STATED, "provenance": {"rule": reason.rule, "of": list(reason.of)}}


def _touch() -> Changes:
    return Changes(set={LOCK: create_id()})
