"""Keeps the edges with the records: in the transaction of each write, with all that follows.

Two writes whose edges can be joined must not pass each other, each blind to what the other stores. Writers
of such edges write to the lock of their group (predicates that rules connect, in one tenant), so that one of
them runs again. Where no rule joins edges, all that depends on an edge is between the same two records: there
the edges themselves are written to, also those that stay as they are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final
from weakref import WeakKeyDictionary

from runtime.call import Call
from runtime.model.catalog import Catalog
from runtime.model.clock import now
from runtime.model.documents import tenant_of
from runtime.model.record_type import RecordType
from runtime.ontology.edges import EdgeStore
from runtime.ontology.known import Known
from runtime.ontology.revision import revise
from runtime.ontology.rules import Edge, Reason, Rules
from runtime.ontology.statements import list_statements
from runtime.records.change import Change
from runtime.storage.store import Transaction

_MANY: Final = 1000
"""Edges that a write depends on, of which it is likely that they are why it takes too long."""

_ADVICE: Final = (
    "many edges of the ontology depend on this write: write fewer records at once, take a long way apart "
    "from its ends, or write while ontology.enabled is off and run `recordsmith ontology rebuild` afterwards"
)


class EdgeKeeper:
    """The companion of writes of records whose fields state edges.

    ``most``: edges that one transaction may change. So many can be stored in its time; a batch of records
    that needs more is halved (``records.batch``).
    """

    is_joint: Final = False

    def __init__(self, catalog: Catalog, most: int) -> None:
        self.rules = Rules(catalog.relationships)
        self.most = most
        self._stating = find_stating(catalog)
        self._changed: WeakKeyDictionary[Transaction, int] = WeakKeyDictionary()

    async def want(self, call: Call, kind: RecordType[Any]) -> bool:
        """Return whether fields of a type state edges."""
        return kind.name in self._stating

    async def follow(self, call: Call, transaction: Transaction, changes: Sequence[Change]) -> None:
        """Store the edges of written records. Raises ``TooManyEdges``."""
        for tenant, written in _split_by_tenant(changes).items():
            edges = EdgeStore(self.rules, transaction, call.database, tenant)
            await self._follow_in(edges, transaction, written)

    async def _follow_in(
        self, edges: EdgeStore, transaction: Transaction, written: Sequence[_Written]
    ) -> None:
        unsure = defaultdict[frozenset[str], list[str]](list)
        for one in written:
            if not one.is_new:
                unsure[self._stating[one.kind.name]].append(one.record_id)
        had: dict[Edge, Reason] = {}
        for predicates, sources in unsure.items():
            had |= await edges.find_stated(predicates, sources)
        states = {edge: reason for one in written for edge, reason in one.states.items()}
        removed = had.keys() - states.keys()
        added = {edge: reason for edge, reason in states.items() if had.get(edge) != reason}
        if removed or added:
            known = Known({one.record_id for one in written if one.is_new})
            await self._change(edges, transaction, removed, added, known)

    async def _change(
        self,
        edges: EdgeStore,
        transaction: Transaction,
        removed: Collection[Edge],
        added: Mapping[Edge, Reason],
        known: Known,
    ) -> None:
        """Store that fields state other edges than before, with all that follows."""
        before = self._changed.get(transaction, 0)
        await edges.take_locks(transaction, (*removed, *added))
        work = partial(revise, edges.rules, known, removed, added, self.most, before=before)
        revision = await edges.work_out(work, known, self.most)
        if len(known) > _MANY:
            transaction.advice = _ADVICE
        await edges.write(revision, known, now())
        self._changed[transaction] = before + len(revision.gone) + len(revision.new)


@dataclass(frozen=True, slots=True)
class _Written:
    """What the fields of one record state after a write; ``is_new``: no edge can be there yet."""

    kind: RecordType[Any]
    record_id: str
    states: Mapping[Edge, Reason]
    is_new: bool = False


def find_stating(catalog: Catalog) -> dict[str, frozenset[str]]:
    """Find the record types whose fields state edges, with the predicates."""
    found = {
        kind.name: frozenset(one.predicate for one in kind.references if one.predicate) for kind in catalog
    }
    return {name: predicates for name, predicates in found.items() if predicates}


def _split_by_tenant(changes: Sequence[Change]) -> Mapping[str, Sequence[_Written]]:
    """List the records whose statements a write may have changed, in the tenants they are in or were in."""
    found: dict[str, list[_Written]] = defaultdict(list)
    for change in changes:
        before, after = change.before, change.after
        states = list_statements(change.kind, after)
        is_moved = before is not None and (after is None or tenant_of(before) != tenant_of(after))
        is_known = before is not None and change.is_bound and not is_moved
        if is_known and states == list_statements(change.kind, before):
            continue
        if after is not None:
            one = _Written(change.kind, str(after["_id"]), states, is_new=before is None)
            found[tenant_of(after)].append(one)
        if before is not None and is_moved:
            found[tenant_of(before)].append(_Written(change.kind, str(before["_id"]), {}))
    return found
