"""Moving all records of one type in one realm, batch by batch.

A batch is: digest, convert, digest, note how far it came. The first batch of a run and every tenth are a
transaction: if their records would not read the same, they are undone and the run ends. In between, batches
are updates, which take a third of the time; there the digests count where nobody wrote in the meantime. Each
record is moved once, whatever is killed: what is moved says so itself.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from runtime.errors import Misconfigured, RecordBusy, StoreUnavailable
from runtime.filter import EVERYTHING
from runtime.migrations.notes import update_migration
from runtime.migrations.pace import resize
from runtime.model.record_type import RecordType
from runtime.spelling import Spelling
from runtime.storage.access import Access, Action
from runtime.storage.as_service import as_service
from runtime.storage.store import AnyStore, Store, Transaction
from runtime.system.documents import RecordMigrationDocument

_FIRST, _MOST, _LEAST = 500, 4000, 10
_TARGET_SECONDS: Final = 0.15
"""A batch may keep a write of one of its records waiting for so long."""

_SHARE: Final = 0.6
"""The part of the time that batches take; the rest is for requests."""

_PROBE: Final = 10

PATIENCE: Final = 20
"""Batches that fail one after the other."""

Tell = Callable[[int], object]


@dataclass
class Mover:
    """The records of a type, on their way to the spelling that is in force."""

    store: Store
    default: str
    kind: RecordType[Any]
    spelling: Spelling
    migration: RecordMigrationDocument
    batches: int = 0

    @property
    def access(self) -> Access[Any]:
        """All records of the type, in every tenant: an operator began this."""
        return as_service(self.kind, self.migration["database"], Action.UPDATE)

    async def count(self) -> int:
        """Return how many records there are."""
        return await self.store.count(self.access, EVERYTHING)

    async def run(self, tell: Tell) -> RecordMigrationDocument:
        """Move what is behind the last position, then look again; return the migration as it is then.

        Raises ``StoreUnavailable``, and ``Misconfigured`` if records would not read the same.
        """
        while True:
            await self._run_rest(tell)
            if not await self.store.count_unmoved(self.access, self.spelling):
                return self.migration
            self.migration = await self._store({"moved": self.migration["moved"]}, "position")

    async def _run_rest(self, tell: Tell) -> None:
        size, failures = _FIRST, 0
        while True:
            began = time.monotonic()
            try:
                counted = await self._run_batch(size)
            except (StoreUnavailable, RecordBusy):
                failures += 1
                if failures > PATIENCE:
                    raise
                size = max(_LEAST, size // 4)
                await asyncio.sleep(0.1 * failures)
                continue
            if counted is None:
                return
            failures, seconds = 0, time.monotonic() - began
            tell(counted)
            size = resize(size, seconds, target=_TARGET_SECONDS, least=_LEAST, most=_MOST)
            await asyncio.sleep(seconds * (1 / _SHARE - 1))

    async def _run_batch(self, size: int) -> int | None:
        """Move the next records; return how many there were, None without any."""
        after = self.migration.get("position")
        until = await self.store.find_range_end(self.access, after, size)
        if until is None:
            return None

        async def work(store: Transaction) -> tuple[int, RecordMigrationDocument]:
            return await self._rewrite_range(store, after, until)

        is_probe, self.batches = self.batches % _PROBE == 0, self.batches + 1
        if is_probe:
            counted, self.migration = await self.store.transact(work)
        else:
            counted, self.migration = await self._rewrite_range(self.store, after, until)
        return counted

    async def _rewrite_range(
        self, store: AnyStore, after: Any, until: Any
    ) -> tuple[int, RecordMigrationDocument]:
        before = await store.read_digest(self.access, self.spelling, after, until)
        moved = await store.rewrite_range(self.access, self.spelling, after, until)
        behind = await store.read_digest(self.access, self.spelling, after, until)
        is_same = before == behind
        if not is_same and isinstance(store, Transaction):
            raise Misconfigured(
                f"{self.kind.name}: the records up to {until} would not read the same when they are moved "
                f"({before} before, {behind} behind); nothing of them was changed"
            )
        totals = {
            "position": until,
            "moved": self.migration["moved"] + moved,
            "checked": self.migration["checked"] + (behind.records if is_same else 0),
        }
        changed = await update_migration(store, self.default, self.migration, totals)
        if changed is None:
            raise Misconfigured(f"the migration {self.migration['refName']} has been taken over by another")
        return behind.records, changed

    async def _store(self, values: dict[str, Any], *unset: str) -> RecordMigrationDocument:
        changed = await update_migration(self.store, self.default, self.migration, values, *unset)
        if changed is None:
            raise Misconfigured(f"the migration {self.migration['refName']} has been taken over by another")
        return changed
