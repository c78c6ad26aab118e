"""Cancelling a migration: the release that began it is called off, and the earlier version goes on alone.

Workers of the earlier version may be alive: in both spellings a record has all that they have written, so the
names of now are taken from it while they write. Workers of the version that is called off may not, since they
would begin it again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from runtime.errors import Misconfigured
from runtime.migrations.batches import Tell, run_batches
from runtime.migrations.keeper import Keeper
from runtime.migrations.notes import ALIVE, OPEN_TO_EARLIER, name_of
from runtime.migrations.run import Runner
from runtime.model.clock import now
from runtime.model.counting import count_things
from runtime.model.record_type import RecordType
from runtime.spelling import Spelling, Step, derive_steps, fingerprint
from runtime.storage.access import Access, Action
from runtime.storage.as_service import as_service
from runtime.system.documents import RecordMigrationDocument


@dataclass
class Canceller:
    """The migration of one record type in one realm, on its way out. ``who`` cancels it."""

    keeper: Keeper
    database: str
    kind: RecordType[Any]
    who: str
    _after: Any = field(default=None, init=False)

    async def count(self, migration: RecordMigrationDocument) -> int:
        """Return how many records ``run`` rewrites: all of the type, twice where some are moved."""
        records = await Runner(self.keeper, self.database, self.kind.name, self.who).count()
        return records if migration["phase"] in OPEN_TO_EARLIER else 2 * records

    async def run(self, migration: RecordMigrationDocument, tell: Tell) -> RecordMigrationDocument:
        """Bring all records back to the former spelling alone; return the migration, which is undone.

        Raises ``Misconfigured`` while workers of the version that began it are alive, for what only that
        version can bring back, and for what has lost values.
        """
        spelling = self._find_spelling(migration)
        if migration["phase"] != "UNDONE":
            migration = await self._end(migration, spelling, tell)
        if spelling is not None and await self.keeper.store.find_marked(self._access, spelling):
            # Of a worker that came and went meanwhile, or of a cancelling that ended early.
            await self._require_called_off(migration)
            await self._withdraw_all(spelling, tell)
        return migration

    async def _end(
        self, migration: RecordMigrationDocument, spelling: Spelling | None, tell: Tell
    ) -> RecordMigrationDocument:
        await self._require_called_off(migration)
        if migration["phase"] not in OPEN_TO_EARLIER:
            if spelling is None:
                raise self._refuse(migration, "has moved records")
            migration = await Runner(self.keeper, self.database, self.kind.name, self.who).undo(
                migration, tell
            )
        if spelling is not None:
            await self._withdraw_all(spelling, tell)
        elif await self.keeper.store.find_marked(self._access, _read_renames(migration)):
            raise self._refuse(migration, "has written records in its spelling")
        await self._require_called_off(migration)
        values = {"phase": "UNDONE", "finishedDate": now()}
        return await self.keeper.notes.update(migration, values, "position")

    @property
    def _access(self) -> Access[Any]:
        """All records of the type, in every tenant: an operator began this."""
        return as_service(self.kind, self.database, Action.UPDATE)

    def _find_spelling(self, migration: RecordMigrationDocument) -> Spelling | None:
        """Return how this version spells the records; None if another one has begun the migration."""
        shape = self.keeper.settling.shapes[self.kind.name]
        if fingerprint(shape) != migration["toShape"]:
            return None
        steps = derive_steps(self.kind.name, json.loads(migration["fromShape"]), shape)
        return Spelling(migration["number"], steps)

    async def _require_called_off(self, migration: RecordMigrationDocument) -> None:
        """Require that no other worker of the version is alive: it would begin the migration again."""
        settling = self.keeper.settling
        label = f"{self.kind.name} {migration['toShape']}"
        workers = settling.list_peers(await self.keeper.notes.read_workers())
        if number := sum(label in one["shapes"] for one in workers):
            raise Misconfigured(
                f"{count_things(number, 'worker')} of the version that began {self._name(migration)} "
                f"{'is' if number == 1 else 'are'} alive: stop them first (one that was killed counts as "
                f"alive for {ALIVE.total_seconds():.0f} s)"
            )

    async def _withdraw_all(self, spelling: Spelling, tell: Tell) -> None:
        while await self.keeper.store.find_marked(self._access, spelling):
            self._after = None
            work = partial(self._withdraw_next, spelling, tell)
            await run_batches(self.keeper.store, work, lambda _looked_at: None)

    async def _withdraw_next(self, spelling: Spelling, tell: Tell, size: int) -> int | None:
        """Look at the next records, most of which may be as they were; return how many at most."""
        store = self.keeper.store
        if (until := await store.find_range_end(self._access, self._after, size)) is None:
            return None
        tell(await store.withdraw_range(self._access, spelling, self._after, until))
        self._after = until
        return size

    def _name(self, migration: RecordMigrationDocument) -> str:
        return name_of(self.kind.name, migration["number"])

    def _refuse(self, migration: RecordMigrationDocument, what: str) -> Misconfigured:
        name = self._name(migration)
        return Misconfigured(
            f"{name} {what}, which the version that began it can bring back: run "
            f"`recordsmith migrate cancel {name}` with that version"
        )


def _read_renames(migration: RecordMigrationDocument) -> Spelling:
    """Return the spelling that another version has begun, as far as its steps name fields of the record."""
    before = json.loads(migration["fromShape"])
    named = ((step, step.split(".")) for step in migration["steps"])
    renames = [
        Step(step, (parts[1],), parts[3])
        for step, parts in named
        if len(parts) == 4 and parts[2] == "renamedFrom" and parts[1] not in before["fields"]
    ]
    return Spelling(migration["number"], tuple(renames))
