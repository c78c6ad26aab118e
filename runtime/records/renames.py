"""Notes of names that may be copied wrongly: some worker looks at the copies a moment later.

The names in references are copies (``effects.copies``). Two things leave an old one behind: a process that
dies between a rename and the copying, and a write that looked the name up before the rename and is stored
after the copying. So a note of each rename is stored before it, or in its transaction, and is due when
every write that may have seen the old name is stored. A write that takes longer than that leaves a note of
the names it has copied. Writes that rename nothing and are not slow pay nothing.
"""

import time
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Any, Final

from runtime.call import Call
from runtime.model.catalog import Catalog
from runtime.model.clock import now
from runtime.model.documents import tenant_of
from runtime.principal import DomainScope
from runtime.records.change import Change
from runtime.records.references import entries
from runtime.storage.access import Action
from runtime.storage.as_service import as_service
from runtime.storage.own_documents import complete_note, own_domain
from runtime.storage.store import AnyStore, Store, Transaction
from runtime.system.documents import RenameDocument
from runtime.system.record_types import RENAME

Document = dict[str, Any]
Names = Mapping[str, tuple[str, str]]
"""Id → refName and displayName."""

MOST_SECONDS: Final = 0.2
"""From looking a name up to having stored it; a write that takes longer leaves a note."""

LOOK_AFTER: Final = timedelta(seconds=0.6)
"""From a rename to the look: what a rename and another write may take (``MOST_SECONDS`` each), and what the
clocks of two workers may differ by."""


_COVERED: Final = timedelta(seconds=0.2)
"""How long the note of a record that is renamed again and again serves for the next renames."""

_AGAIN_SECONDS: Final = 1.0
_MOST_REMEMBERED: Final = 1000


class RecentNotes:
    """The notes that this process has stored just now, by database, tenant, type and id.

    So a record that many requests rename at once costs only a few notes a second.
    """

    def __init__(self) -> None:
        self._until: dict[tuple[str, ...], float] = {}

    async def store_note(self, key: tuple[str, ...], insert: Callable[[timedelta], Awaitable[None]]) -> None:
        """Store a note by ``insert``, unless a note that is due late enough is stored already.

        ``insert`` is passed how much later than usual the note must be due.
        """
        began = time.monotonic()
        until = self._until.get(key)
        if until is not None and until > began:
            return
        lateness = _COVERED if until is not None and began - until < _AGAIN_SECONDS else timedelta()
        await insert(lateness)
        if len(self._until) >= _MOST_REMEMBERED:
            self._until.clear()  # costs a note for each record that is renamed next
        self._until[key] = began + lateness.total_seconds()


async def announce_renames(call: Call, store: AnyStore, changes: Sequence[Change]) -> None:
    """Note, before the changes are stored, the renamed records whose names others may have copied.

    In the transaction of ``store``, if it has one.
    """
    if call.service.names is None:
        return
    for (target, tenant), ids in find_renamed(call.service.catalog, changes).items():
        fields: RenameDocument = {"target": target, "targets": ids}
        insert = partial(_insert, call, store, tenant, fields)
        if len(ids) == 1 and not isinstance(store, Transaction):  # which may be undone, and its notes with it
            await call.service.names.store_note((call.database, tenant, target, *ids), insert)
        else:
            await insert(timedelta())


async def announce_copies(call: Call, store: AnyStore, changes: Sequence[Change]) -> None:
    """Note, once slow changes are stored, the names that they have copied."""
    if call.service.names is None:
        return
    for (target, tenant), names in _collect_copied(changes).items():
        copied: RenameDocument = {
            "target": target,
            "targets": list(names),
            "refNames": [ref_name for ref_name, _shown in names.values()],
            "displayNames": [shown for _ref_name, shown in names.values()],
        }
        await _insert(call, store, tenant, copied, timedelta())


def is_slow(began: float) -> bool:
    """Return whether names that were looked up at ``began`` (``time.monotonic``) may have changed unseen."""
    return time.monotonic() - began > MOST_SECONDS


def find_renamed(catalog: Catalog, changes: Sequence[Change]) -> Mapping[tuple[str, str], list[str]]:
    """Return the ids of renamed records that others may refer to, by type and tenant."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    for change in changes:
        before, after = change.before, change.after
        if before is None or after is None:
            continue
        is_same = before.get("refName") == after.get("refName")
        is_same = is_same and before.get("displayName") == after.get("displayName")
        if not is_same and catalog.referrers(change.kind):
            found[change.kind.name, tenant_of(after)].append(str(after["_id"]))
    return found


def _collect_copied(changes: Sequence[Change]) -> Mapping[tuple[str, str], Names]:
    """Return the names that changes have copied from other records, by type and tenant of these.

    References that stay as they are stored have not: a rename finds these.
    """
    found: dict[tuple[str, str], dict[str, tuple[str, str]]] = defaultdict(dict)
    for change in changes:
        for target, entry in _references(change):
            names = (entry.get("entityRefName", ""), entry.get("entityDisplayName", ""))
            found[target, tenant_of(change.after or {})].setdefault(str(entry["entityId"]), names)
    return found


def _references(change: Change) -> Iterator[tuple[str, Document]]:
    if change.after is None or not change.kind.references:
        return
    replacement = change.replacement
    sent = replacement.find_sent(change.kind) if replacement is not None and change.is_bound else None
    for reference in change.kind.references:
        if sent is None or reference.top in sent:
            for _path, entry in entries(reference, change.after):
                yield reference.target, entry


async def _insert(
    call: Call, store: AnyStore, tenant: str, fields: RenameDocument, lateness: timedelta
) -> None:
    fields = {**fields, "dueAt": now() + LOOK_AFTER + lateness, "holder": ""}
    domain = own_domain(call.principal, tenant)
    note = complete_note(fields, call.principal, now(), display_name=fields["target"], domain=domain)
    access = as_service(RENAME, call.database, Action.CREATE, DomainScope(tenant_id=tenant))
    await store.insert(access, note)
    await store.run_after_storing(partial(_expect_look, call))


async def _expect_look(call: Call, _store: Store) -> None:
    if call.service.names is not None:
        call.service.names.expect(call.database)
