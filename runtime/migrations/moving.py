"""Moving all records of one type in one realm, batch by batch.

A batch is: digest, convert, digest, note how far it came. The first batch of a run and every tenth are small
ones in a transaction: if their records would not read the same, they are undone and the run ends. In between,
batches are updates, which take half of the time; there the digests count where nobody wrote in the meantime.
Records that others write all the time let no transaction pass: a few at a time are moved by updates then, and
what follows is a transaction again. Each record is moved once, whatever is killed: what is moved says so
itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from runtime.errors import Misconfigured
from runtime.migrations.batches import FEW, FIRST, Tell, read_ranges, run_batches
from runtime.migrations.notes import MigrationNotes
from runtime.model.record_type import RecordType
from runtime.spelling import Spelling
from runtime.storage.access import Access, Action
from runtime.storage.as_service import as_service
from runtime.storage.store import AnyStore, Store, Transaction
from runtime.system.documents import RecordMigrationDocument

_PROBE: Final = 10


@dataclass
class Mover:
    """The records of a type, on their way to the spelling that is in force.

    ``unconfirmed``: what a batch noted without getting an answer.
    """

    notes: MigrationNotes
    kind: RecordType[Any]
    spelling: Spelling
    migration: RecordMigrationDocument
    batches: int = 0
    is_hindered: bool = False
    unconfirmed: dict[str, Any] | None = None

    @property
    def store(self) -> Store:
        return self.notes.store

    @property
    def access(self) -> Access[Any]:
        """All records of the type, in every tenant: an operator began this."""
        return as_service(self.kind, self.migration["database"], Action.UPDATE)

    async def run(self, tell: Tell) -> RecordMigrationDocument:
        """Move what is behind the last position, then look again; return the migration as it is then.

        Raises ``StoreUnavailable``, and ``Misconfigured`` if records would not read the same.
        """
        while True:
            await run_batches(self.store, self._run_batch, tell)
            if await self._check_moved():
                return self.migration
            self.migration = await self.notes.update(self.migration, {}, "position")

    async def _check_moved(self) -> bool:
        """Return whether all records are moved; look through them once more."""
        async for after, until in read_ranges(self.store, self.access):
            if await self.store.count_unmoved(self.access, self.spelling, after, until):
                return False
        return True

    async def _run_batch(self, size: int) -> int | None:
        """Move the next records; return how many there were, None without any."""
        if self.unconfirmed is not None:
            self.migration = await self.notes.read_after_update(self.migration, self.unconfirmed)
            self.unconfirmed = None
        is_due = self.batches % _PROBE == 0
        is_probe = is_due and not (self.is_hindered and size <= FEW)
        self.is_hindered = True
        if is_probe:
            moved = await self.store.transact(lambda store: self._rewrite_next(store, min(size, FIRST)))
        else:
            moved = await self._rewrite_next(self.store, size)
        if moved is None:
            return None
        (counted, self.migration), self.unconfirmed = moved, None
        self.batches, self.is_hindered = self.batches + (is_probe or not is_due), False
        return counted

    async def _rewrite_next(self, store: AnyStore, size: int) -> tuple[int, RecordMigrationDocument] | None:
        after = self.migration.get("position")
        before = await store.read_digest(self.access, self.spelling, after, None, size)
        if (until := before.last) is None:
            return None
        moved = await store.rewrite_range(self.access, self.spelling, after, until, before.records)
        behind = await store.read_digest(self.access, self.spelling, after, until, 2 * size)
        is_same, inside = before == behind, store if isinstance(store, Transaction) else None
        if not is_same and inside is not None:
            raise Misconfigured(
                f"{self.kind.shown_name}: the records up to {until} would not read the same when moved "
                f"({before} before, {behind} behind); nothing of them was changed"
            )
        totals = {
            "position": until,
            "moved": self.migration["moved"] + moved,
            "checked": self.migration["checked"] + (behind.records if is_same else 0),
        }
        self.unconfirmed = totals
        return behind.records, await self.notes.update(self.migration, totals, inside=inside)
