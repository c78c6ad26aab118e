"""Stored edges of one tenant: reading what a question needs, writing what a revision says."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any, Final, TypeVar

from runtime.errors import TooManyEdges
from runtime.filter import Predicate, Projection, any_of, by_ids, equals, one_of, refers_to
from runtime.ontology.known import Around, Known, Missing
from runtime.ontology.revision import Revision
from runtime.ontology.rules import STATED, Edge, Reason, Rules
from runtime.principal import DomainScope
from runtime.records.change import Outdated
from runtime.storage.access import Access, Action
from runtime.storage.as_service import as_service
from runtime.storage.store import LOCK, AnyStore, Changes, Transaction
from runtime.storage.wire import create_id, derive_id, parse_id
from runtime.system.documents import OntologyEdgeDocument, OntologyLockDocument
from runtime.system.record_types import ONTOLOGY_EDGE, ONTOLOGY_LOCK

T = TypeVar("T")

ENDS: Final = Projection(include=("predicate", "source.id", "destination.id", "inferred"))
WITH_REASON: Final = Projection(include=(*ENDS.include, "provenance"))

_READ_FOR_EACH: Final = 10
"""Edges that may be read for each that may be changed."""


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
                answer = work()
            except TooManyEdges:
                if not known.missing:
                    raise
            else:
                if not known.missing:
                    return answer
            asked = frozenset(known.missing)
            limit = _READ_FOR_EACH * most - len(known)
            rows = await self.store.find(
                self.access(), self._match(asked), projection=ENDS, limit=max(limit, 0) + 1
            )
            if len(rows) > limit:
                message = f"what follows from this depends on more than {_READ_FOR_EACH * most} edges"
                raise TooManyEdges(f"{message} of the ontology: connect fewer records with each other")
            known.add(asked, map(read_edge, rows))

    async def find_stated(self, predicates: Collection[str], sources: Collection[str]) -> dict[Edge, Reason]:
        """Find the edges by some predicates that fields of some records state, as they are stored."""
        match = one_of("predicate", sorted(predicates)) & refers_to(["source.id"], sorted(sources))
        rows = await self.store.find(self.access(), match & equals(inferred=False), projection=WITH_REASON)
        return {read_edge(row)[0]: read_reason(row) for row in rows}

    async def find_reasons(self, edges: Collection[Edge]) -> dict[Edge, Reason]:
        """Find why there are some edges, as they are stored."""
        rows = await self.store.find(self.access(), self._by_edges(edges), projection=WITH_REASON)
        return {read_edge(row)[0]: read_reason(row) for row in rows}

    async def write(self, revision: Revision, known: Known, at: datetime) -> None:
        """Store what a revision says. Raises ``Outdated`` where another write came first."""
        access = self.access(Action.UPDATE)
        if revision.gone:
            await self.store.delete_many(access, self._by_edges(revision.gone))
        changed = [edge for edge in revision.new if known.holds(edge)]
        if changed:
            await self.store.update_each(
                access,
                [(self._by_edges([edge]), Changes(set=_render(revision.new[edge]))) for edge in changed],
            )
        absent = revision.new.keys() - set(changed)
        if absent:
            documents = [self._build(edge, revision.new[edge], at) for edge in sorted(absent)]
            if await self.store.insert_many(access, documents):
                raise Outdated
        touched = [edge for edge in revision.kept if self.rules.group_of(edge.predicate) is None]
        if touched:
            await self.store.update_many(access, self._by_edges(touched), _touch())

    async def take_locks(self, transaction: Transaction, groups: Iterable[str]) -> None:
        """Write to the locks of some groups, so that writers of the same groups conflict with this one."""
        domain = DomainScope(tenant_id=self.tenant)
        access = as_service(ONTOLOGY_LOCK, self.database, Action.UPDATE, domain)
        for group in sorted(groups):
            own_id = derive_id(self.tenant, group)
            if not await transaction.update_many(access, by_ids([own_id]), _touch()):
                document: OntologyLockDocument = {"group": group}
                if await transaction.insert_many(access, [self._complete(document, own_id)]):
                    raise Outdated

    def _match(self, asked: Iterable[Missing]) -> Predicate:
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


def read_edge(row: Mapping[str, Any]) -> tuple[Edge, bool]:
    """Return the edge that a document holds, and whether a field states it."""
    return read_ends(row), not row["inferred"]


def read_ends(row: Mapping[str, Any]) -> Edge:
    """Return the edge that a document holds."""
    return Edge(row["predicate"], str(row["source"]["id"]), str(row["destination"]["id"]))


def read_reason(row: Mapping[str, Any]) -> Reason:
    """Return why there is the edge that a document holds."""
    return Reason(row["provenance"]["rule"], tuple(row["provenance"]["of"]))


def _render(reason: Reason) -> dict[str, Any]:
    return {"inferred": reason.rule != STATED, "provenance": {"rule": reason.rule, "of": list(reason.of)}}


def _touch() -> Changes:
    return Changes(set={LOCK: create_id()})
