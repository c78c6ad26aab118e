"""Compares the stored edges of a realm with its records, and rebuilds those that differ.

First the records, in the order of their ids: what their fields state is stored, with all that follows. Then
the edges: each must be stated by its source, or follow from edges that are; and what follows from an inferred
edge must be stored. Each batch is a transaction of its own that sees one moment, so the service goes on in
the meantime, and a run can go on where another one ended. What is right is not written.
"""

import re
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Final

from runtime.call import Service
from runtime.errors import NotFound, StoreUnavailable
from runtime.filter import EVERYTHING, Predicate, after, by_ids
from runtime.model.clock import now
from runtime.model.documents import tenant_of
from runtime.model.record_type import RecordType
from runtime.model.scalars import OBJECT_ID_PATTERN
from runtime.ontology.edges import EdgeStore, read_ends, read_reason
from runtime.ontology.following import find_stating
from runtime.ontology.known import Known
from runtime.ontology.revision import Revision, close, find_incomplete, gather_premises, revise
from runtime.ontology.rules import STATEMENT, Edge, Reason, Rules
from runtime.ontology.statements import list_statements
from runtime.storage.access import Access
from runtime.storage.as_service import as_service
from runtime.storage.store import Transaction
from runtime.storage.wire import parse_id
from runtime.system.record_types import ONTOLOGY_EDGE

Row = Mapping[str, Any]
Work = Callable[[Transaction, Sequence[Row]], Awaitable[None]]
"""Compares some documents, in a transaction."""

_ID: Final = re.compile(OBJECT_ID_PATTERN)
_BATCH: Final = 100
_SMALLER: Final = 5
"""A store that is away is given up after some tries: of 100 documents, of 20, of 4 and of one."""


@dataclass
class EdgeTally:
    """What was found in one realm: edges that are ``missing``, ``wrong`` (of other reason) or ``surplus``.

    ``place``: behind which document the run was, for another one to go on.
    """

    records: int = 0
    edges: int = 0
    missing: int = 0
    wrong: int = 0
    surplus: int = 0
    place: str = ""

    @property
    def is_sound(self) -> bool:
        """Whether all edges were as they should be."""
        return self.missing == self.wrong == self.surplus == 0


@dataclass(frozen=True, slots=True)
class Upkeep:
    """A run over one realm; with ``repair`` it writes. ``tell`` gets the number of documents done."""

    service: Service
    database: str
    repair: bool
    tell: Callable[[int], None]
    tally: EdgeTally = field(default_factory=EdgeTally)

    async def run(self, begin: str = "") -> EdgeTally:
        """Compare all records and edges behind a place. Raises ``StoreUnavailable``, ``NotFound``."""
        sections = self._list_sections()
        named, _, last_id = begin.partition(":")
        names = [kind.name for kind in sections]
        if (named and named not in names) or (last_id and not _ID.fullmatch(last_id)):
            raise NotFound(
                f"no place {begin[:80]}: name one of {', '.join(names)} and an id, as in Port:65f1…"
            )
        for kind in sections[names.index(named) if named else 0 :]:
            work = self._compare_edges if kind is ONTOLOGY_EDGE else partial(self._compare_records, kind)
            await self._run_section(kind, work, parse_id(last_id) if last_id and kind.name == named else None)
        return self.tally

    async def count(self) -> int:
        """Count the documents to look at."""
        accesses = [as_service(kind, self.database) for kind in self._list_sections()]
        return sum([await self.service.store.count(access, EVERYTHING) for access in accesses])

    def _list_sections(self) -> list[RecordType[Any]]:
        """List the record types whose fields state edges, by name, and that of the edges."""
        catalog, stating = self.service.catalog, find_stating(self.service.catalog)
        return [*(catalog[name] for name in sorted(stating)), ONTOLOGY_EDGE]

    async def _run_section(self, kind: RecordType[Any], work: Work, last: Any) -> None:
        access, order = as_service(kind, self.database), (("_id", 1),)
        while True:
            match = EVERYTHING if last is None else after(order, [last])[0]
            found = await self.service.store.find(access, match, order=order, limit=_BATCH)
            if not found:
                return
            last = found[-1]["_id"]
            await self._run_batch(work, access, [row["_id"] for row in found])
            self.tally.place = f"{kind.name}:{last}"
            self.tell(self.tally.records + self.tally.edges)

    async def _run_batch(self, work: Work, access: Access[Any], ids: list[Any]) -> None:
        """Compare some documents; where writers let no transaction of so many end, in smaller ones."""
        before = replace(self.tally)
        try:
            await self.service.store.transact(partial(self._compare_batch, work, access, by_ids(ids), before))
        except StoreUnavailable:
            if len(ids) == 1:
                raise
            vars(self.tally).update(vars(before))
            size = max(len(ids) // _SMALLER, 1)
            for at in range(0, len(ids), size):
                await self._run_batch(work, access, ids[at : at + size])

    async def _compare_batch(
        self, work: Work, access: Access[Any], match: Predicate, before: EdgeTally, transaction: Transaction
    ) -> None:
        vars(self.tally).update(vars(before))  # the work may run again
        await work(transaction, await transaction.find(access, match))

    async def _compare_records(
        self, kind: RecordType[Any], transaction: Transaction, rows: Sequence[Row]
    ) -> None:
        self.tally.records += len(rows)
        for store, some in self._split_by_tenant(transaction, rows):
            states = {edge: reason for row in some for edge, reason in list_statements(kind, row).items()}
            predicates = find_stating(self.service.catalog)[kind.name]
            had = await store.find_stated(predicates, [str(row["_id"]) for row in some])
            await self._settle(store, transaction, had, set(), states)

    async def _compare_edges(self, transaction: Transaction, rows: Sequence[Row]) -> None:
        self.tally.edges += len(rows)
        for store, some in self._split_by_tenant(transaction, rows):
            known_rows = [row for row in some if row["predicate"] in store.rules.relationships]
            foreign = set(map(read_ends, some)) - set(map(read_ends, known_rows))
            stated = [read_ends(row) for row in known_rows if not row["inferred"]]
            inferred = [read_ends(row) for row in known_rows if row["inferred"]]
            unstated = set(stated) - await self._find_statements(transaction, store.rules, stated)
            if unstated:
                await self._settle(store, transaction, dict.fromkeys(unstated, STATEMENT), unstated, {})
            founded = await self._find_founded(store, inferred)
            await self._remove(store, transaction, foreign | (set(inferred) - founded))
            reasons = {edge: read_reason(row) for row in some if (edge := read_ends(row)) in founded}
            await self._complete(store, transaction, reasons)

    async def _find_statements(
        self, transaction: Transaction, rules: Rules, edges: Sequence[Edge]
    ) -> set[Edge]:
        """Find which edges the records at their beginnings state."""
        by_type: dict[str, set[str]] = defaultdict(set)
        for edge in edges:
            by_type[rules.relationships[edge.predicate].domain].add(edge.source)
        found: set[Edge] = set()
        for name, ids in by_type.items():
            kind = self.service.catalog[name]
            rows = await transaction.find(as_service(kind, self.database), by_ids(sorted(ids)))
            found |= {edge for row in rows for edge in list_statements(kind, row)}
        return found

    async def _find_founded(self, store: EdgeStore, edges: Sequence[Edge]) -> set[Edge]:
        """Find which edges follow from stated ones."""
        known, most = Known(), self._most(len(edges))
        met = await store.work_out(partial(gather_premises, store.rules, known, edges, most), known, most)
        return set(edges) & close(store.rules, {edge for edge in met if known.is_stated(edge)}, most).keys()

    async def _complete(
        self, store: EdgeStore, transaction: Transaction, founded: Mapping[Edge, Reason]
    ) -> None:
        """Store what follows from inferred edges: where these are stored, records led no further."""
        known, most = Known(), self._most(len(founded))
        work = partial(find_incomplete, store.rules, known, founded)
        if incomplete := await store.work_out(work, known, most):
            await self._settle(store, transaction, incomplete, set(), incomplete)

    async def _settle(
        self,
        store: EdgeStore,
        transaction: Transaction,
        had: Mapping[Edge, Reason],
        removed: set[Edge],
        states: Mapping[Edge, Reason],
    ) -> None:
        """Store what fields state and what follows, as far as it differs."""
        known, most = Known(), self._most(len(had) + len(states))
        whole = await store.work_out(partial(revise, store.rules, known, removed, states, most), known, most)
        new = {edge: reason for edge, reason in whole.new.items() if had.get(edge) != reason}
        missing = sum(not known.holds(edge) for edge in new)
        self.tally.missing += missing
        self.tally.wrong += len(new) - missing
        self.tally.surplus += len(whole.gone)
        if self.repair and (new or whole.gone):
            await self._write(store, transaction, replace(whole, new=new), known)

    async def _remove(self, store: EdgeStore, transaction: Transaction, edges: set[Edge]) -> None:
        self.tally.surplus += len(edges)
        if self.repair and edges:
            nothing: dict[Edge, Reason] = {}
            await self._write(store, transaction, Revision(frozenset(edges), nothing, frozenset()), Known())

    async def _write(
        self, store: EdgeStore, transaction: Transaction, revision: Revision, known: Known
    ) -> None:
        await store.take_locks(transaction, (*revision.gone, *revision.new))
        await store.write(revision, known, now())

    def _split_by_tenant(
        self, transaction: Transaction, rows: Sequence[Row]
    ) -> Iterator[tuple[EdgeStore, list[Row]]]:
        rules, found = Rules(self.service.catalog.relationships), defaultdict[str, list[Row]](list)
        for row in rows:
            found[tenant_of(row)].append(row)
        for tenant, some in found.items():
            yield EdgeStore(rules, transaction, self.database, tenant), some

    def _most(self, number: int) -> int:
        return self.service.settings.ontology_max_edges * max(number, 1)
