"""Migrations that are written by hand (``hand_files``), forward and back.

A file has the name of a record type, ``RECORD``, and ``async def forward(records)``, which gets some records
as they are read, and changes them in place. What it has changed is saved as the service, in the tenant of
each record, on the one path for writing: constraints, state graphs, references, history and webhooks are
those of any write. A batch is one transaction together with the note how far it came, so each record that was
there at the beginning is migrated exactly once, whatever is killed.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from inspect import signature
from typing import Any, Final

from runtime import records
from runtime.call import Service
from runtime.errors import Misconfigured, ServiceError, StoreUnavailable
from runtime.errors.raised import describe_raised
from runtime.filter import Predicate, compile_filter
from runtime.migrations.batches import Tell
from runtime.migrations.hand_files import ByHand, Function
from runtime.migrations.keeper import Keeper
from runtime.migrations.notes import build_migration, build_overtaken
from runtime.migrations.pace import resize
from runtime.migrations.related import Acting, Record, Related, note_record, show_record
from runtime.model.clock import now
from runtime.model.documents import tenant_of
from runtime.model.record_type import RecordType
from runtime.seams import ExpressionFailed
from runtime.storage.as_service import as_service
from runtime.storage.store import Transaction, is_driver_fault
from runtime.system.documents import RecordMigrationDocument

_BATCH: Final = 100
_TARGET_SECONDS: Final = 0.5
"""A batch may keep a write of one of its records waiting for so long."""

_BEHIND: Final = "id:>${position}"
_THERE_AT_FIRST: Final = "!!(auditInfo.createdDate:>=${began}) && id:>${position}"
_FROM_THE_START: Final = "0" * 24
_OF_AN_END: Final = ("position", "finishedDate", "seconds")


class _Contended(Exception):
    """Another writer was in the way of one of the records."""


@dataclass
class HandRunner:
    """One migration by hand in one realm. ``who`` runs it."""

    service: Service
    keeper: Keeper
    realm: str
    database: str
    migration: ByHand
    who: str

    @property
    def kind(self) -> RecordType[Any]:
        """The record type it is about. Raises ``NotFound``."""
        return self.service.catalog[self.migration.record]

    async def find(self, inside: Transaction | None = None) -> RecordMigrationDocument | None:
        """Find what is noted of it; None before its first run."""
        return await self.keeper.notes.find(self.migration.name, self.database, inside)

    async def count(self) -> int:
        """Return how many records there are to look at."""
        began = await self.service.store.read_clock()
        noted: Any = await self.find() or {"phase": "MOVE", "startedDate": began}
        return await self.service.store.count(as_service(self.kind, self.database), self._match(noted))

    async def run(self, tell: Tell) -> RecordMigrationDocument:
        """Migrate what is behind the last position. Raises ``Misconfigured``, and what a write raises."""
        await self.keeper.require_alone()
        noted = await self.find() or await self._begin()
        if noted["phase"] == "BACK":
            name = self.migration.name
            raise Misconfigured(f"{name} is being undone: `recordsmith migrate undo {name}` goes on")
        if noted["phase"] == "UNDONE":
            began = await self.service.store.read_clock()
            again = {"phase": "MOVE", "moved": 0, "startedBy": self.who, "startedDate": began}
            noted = await self.keeper.notes.update(noted, again, *_OF_AN_END)
        return await self._run_batches(noted, "DONE", tell)

    async def undo(self, tell: Tell) -> RecordMigrationDocument:
        """Let ``backward`` bring back all records, also those that are created by now."""
        noted = await self.find()
        if noted is None or self.migration.backward is None:
            what = "has not run" if noted is None else "has no async def backward(records)"
            raise Misconfigured(f"{self.migration.name} cannot be undone: it {what}")
        await self.keeper.require_alone()
        if noted["phase"] in ("MOVE", "DONE"):
            values = {"phase": "BACK", "moved": 0, "startedBy": self.who}
            noted = await self.keeper.notes.update(noted, values, *_OF_AN_END)
        return await self._run_batches(noted, "UNDONE", tell)

    async def _run_batches(
        self, noted: RecordMigrationDocument, end: str, tell: Tell
    ) -> RecordMigrationDocument:
        """Run batches until none is left, and enter the phase ``end``.

        One that meets another writer is tried again with a quarter of its records, at last with a single one,
        which is waited for; then each has more.
        """
        began, size = time.monotonic(), _BATCH
        while noted["phase"] != end:
            position, started = noted.get("position"), time.monotonic()
            try:
                noted = await self._run_batch(size)
            except _Contended:
                size = max(1, size // 4)
                continue
            except StoreUnavailable:
                if size == 1:
                    raise
                size //= 2
                noted = self._require(await self.find())  # it may have been stored all the same
                continue
            if noted["phase"] != end and noted.get("position") == position:
                done = {"phase": end, "finishedDate": now(), "seconds": time.monotonic() - began}
                noted = await self.keeper.notes.update(noted, done)
            else:
                tell(size)
                took = time.monotonic() - started
                size = resize(size, took, target=_TARGET_SECONDS, least=1, most=_BATCH)
        return noted

    async def _begin(self) -> RecordMigrationDocument:
        # Records that are newer are not visited: a wrong clock of this machine must not choose them.
        at, steps = await self.service.store.read_clock(), [f"{self.migration.record}: forward"]
        fields = build_migration(self.database, steps, self.who, at)
        begun = await self.keeper.notes.insert(self.migration.name, fields)
        return self._require(begun)

    def _require(self, noted: RecordMigrationDocument | None) -> RecordMigrationDocument:
        if noted is None:
            raise build_overtaken(self.migration.name)
        return noted

    def _match(self, noted: RecordMigrationDocument) -> Predicate:
        """Match the records behind the last position; forward, those that were there at the beginning."""
        is_back = noted["phase"] == "BACK"
        variables = {
            "began": noted["startedDate"].isoformat() + "Z",
            "position": str(noted.get("position") or _FROM_THE_START),
        }
        return compile_filter(_BEHIND if is_back else _THERE_AT_FIRST, self.kind, variables)

    async def _run_batch(self, size: int) -> RecordMigrationDocument:
        """Migrate the next records; what is noted is read with them, since another process may run it too.

        Raises ``_Contended`` when it would have to begin again, unless it is about a single record.
        """
        is_again = False

        async def work(store: Transaction) -> RecordMigrationDocument:
            nonlocal is_again
            if is_again and size > 1:
                raise _Contended
            is_again = True
            noted = self._require(await self.find(store))
            function = self.migration.backward if noted["phase"] == "BACK" else self.migration.forward
            if noted["phase"] in ("DONE", "UNDONE") or function is None:
                return noted
            access = as_service(self.kind, self.database)
            found = await store.find(access, self._match(noted), order=(("_id", 1),), limit=size)
            if not found:
                return noted
            acting = Acting(self.service, self.realm, self.database, self.migration.name)
            saved = await _save_changes(acting, self.kind, store, found, function)
            values = {"position": found[-1]["_id"], "moved": noted["moved"] + saved}
            return await self.keeper.notes.update(noted, values, inside=store)

        return await self.service.store.transact(work)


async def _save_changes(
    acting: Acting, kind: RecordType[Any], store: Transaction, found: Sequence[Record], function: Function
) -> int:
    """Let a function change some records and save what it has changed; return of how many that was any."""
    before = [show_record(one) for one in found]
    after = deepcopy(before)
    related = Related(acting, store, found)
    try:
        await _call(function, after, related)
    except Exception as error:
        if _passes(error):
            raise
        raised = describe_raised(error, acting.name)
        where = await _find_failing(
            function, before, related, lambda one: describe_raised(one, acting.name) == raised
        )
        message = f"{kind.shown_name} {where}: {acting.name} raises {raised}"
        raise Misconfigured(message, cause=error) from error
    if len(after) != len(before):
        raise Misconfigured(
            f"{acting.name}: change the records in their list, which it has to leave as it is"
        )
    changed: defaultdict[str, dict[str, Record]] = defaultdict(dict)
    for stored, old, new in zip(found, before, after, strict=True):
        values = {name: new.get(name) for name in (*old, *new) if old.get(name) != new.get(name)}
        if values:
            changed[tenant_of(stored)][old["id"]] = values
    for tenant, patches in changed.items():
        try:
            await records.patch_together(acting.open_call(tenant, store), kind, patches)
        except ServiceError as error:
            wrong = next((one for one in after if one["id"] == error.details.get("id")), None)
            if wrong is not None:
                note_record(error, wrong, acting.name)
            raise
        related.served.update(patches)
    return len(related.served)


async def _call(function: Function, batch: list[Record], related: Related) -> None:
    takes_related = len(signature(function).parameters) > 1
    await (function(batch, related) if takes_related else function(batch))


def _passes(error: Exception) -> bool:
    """Return whether an error that came out of a function is not its own."""
    return isinstance(error, ServiceError | ExpressionFailed) or is_driver_fault(error)


async def _find_failing(
    function: Function, batch: list[Record], related: Related, is_same: Callable[[Exception], bool]
) -> str:
    """Find the record with which alone the function fails in the same way; else name the whole batch."""
    for one in batch:
        try:
            await _call(function, [deepcopy(one)], related)
        except Exception as error:
            if is_same(error):
                return f"{one['id']} ({one['refName']})"
    return f"{batch[0]['id']} to {batch[-1]['id']}, together"
