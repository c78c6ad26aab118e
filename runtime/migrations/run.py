"""Advancing the migration of one record type in one realm: run, and undo.

A phase is entered when every worker alive has seen the one before it.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Collection
from typing import Any, Final

from runtime.errors import Misconfigured
from runtime.filter import EVERYTHING
from runtime.migrations.batches import Tell
from runtime.migrations.force import Found
from runtime.migrations.keeper import Keeper
from runtime.migrations.losses import find_losses, require_fitting
from runtime.migrations.moving import Mover
from runtime.migrations.notes import (
    ALIVE,
    ENDED,
    OPEN_TO_EARLIER,
    Noted,
    build_overtaken,
    name_of,
    read_shapes,
    replace_shape,
    show_phase,
)
from runtime.model.clock import now
from runtime.model.counting import count_things
from runtime.spelling import Spelling, derive_steps, fingerprint
from runtime.storage.as_service import as_service
from runtime.storage.store import Store, Transaction
from runtime.system.documents import RecordMigrationDocument

_PAUSE: Final = 0.2
_NOTHING_MOVED: Final = {"moved": 0, "checked": 0}
"""Each way, forward and back, counts its own records."""
_WAIT_SECONDS: Final = 3 * ALIVE.total_seconds()
"""Until then a worker has seen a phase, or is taken for dead."""


class Runner:
    """One migration of one record type in one realm. ``who`` runs it."""

    def __init__(self, keeper: Keeper, database: str, kind: str, who: str) -> None:
        self._keeper, self._store = keeper, keeper.store
        self._database, self._kind, self._who = database, keeper.settling.kinds[kind], who

    async def count(self) -> int:
        """Return how many records of the type there are, in every tenant."""
        return await self._store.count(as_service(self._kind, self._database), EVERYTHING)

    async def run(self, accepted: Collection[str], tell: Tell) -> RecordMigrationDocument | None:
        """Move all records and finish; None where nothing is due.

        Raises ``Misconfigured`` while workers of another shape are alive, and for a loss that is not
        accepted.
        """
        found = self._keeper.found.get((self._database, self._kind.name), Found())
        if not found.steps:
            return None
        await self._keeper.require_alone(self._kind.name)
        migration = await self._find()
        if migration is None or migration["phase"] in ENDED:
            migration = await self._begin(found)
        if migration["phase"] in ("BACK", "SHARE"):
            raise Misconfigured(f"{migration['refName']} is being undone: `recordsmith migrate undo` goes on")
        own = as_service(self._kind, self._database)
        await require_fitting(self._store, own, found.steps, self._noted.number + 1)
        lossy = await self._require_accepted(found, accepted)
        if migration["phase"] != "MOVE":
            migration = await self._enter_move(migration, {"acceptedLoss": lossy, "startedBy": self._who})
        await self._wait_until_seen(migration)
        began = time.monotonic()
        spelling = Spelling(migration["number"], found.steps)
        mover = Mover(self._keeper.notes, self._kind, spelling, migration)
        migration = await mover.run(tell)
        done = await self._finish(migration, time.monotonic() - began)
        await self._keeper.refresh()
        return done

    async def undo(self, migration: RecordMigrationDocument, tell: Tell) -> RecordMigrationDocument:
        """Bring all records back to both spellings, so that workers of the earlier shape can run again."""
        if migration.get("acceptedLoss"):
            names = ", ".join(migration["acceptedLoss"])
            raise Misconfigured(f"{migration['refName']} cannot be undone: it has lost values ({names})")
        await self._keeper.require_alone(self._kind.name)
        if migration["phase"] in ("DONE", "MOVE", "PREPARE"):
            migration = await self._restore_former(migration)
        if migration["phase"] == "BACK":
            await self._wait_until_seen(migration)
            migration = await self._enter(migration, {"phase": "SHARE"}, "position")
        if migration["phase"] == "SHARE":
            await self._wait_until_seen(migration)
            steps = derive_steps(
                self._kind.name,
                json.loads(migration["fromShape"]),
                self._keeper.settling.shapes[self._kind.name],
            )
            spelling = Spelling(migration["number"], steps, is_shared=True)
            mover = Mover(self._keeper.notes, self._kind, spelling, migration)
            migration = await mover.run(tell)
            migration = await self._enter(migration, {"phase": "EXPAND"}, "position", "finishedDate")
        return migration

    @property
    def _noted(self) -> Noted:
        return self._keeper.settling.noted[self._database][self._kind.name]

    async def _find(self) -> RecordMigrationDocument | None:
        """Find the migration that the noted shape begins."""
        name = name_of(self._kind.name, self._noted.number + 1)
        return await self._keeper.notes.find(name, self._database)

    async def _begin(self, found: Found) -> RecordMigrationDocument:
        """Begin a migration that reads and writes could do without."""
        begun = await self._keeper.settling.begin(
            self._database, self._kind.name, found, self._who, has_peers=True
        )
        migration = begun or await self._find()
        if migration is None:
            raise build_overtaken(name_of(self._kind.name, self._noted.number + 1))
        await self._keeper.refresh()
        await self._wait_until_seen(migration, *OPEN_TO_EARLIER)
        return migration

    async def _enter(
        self, migration: RecordMigrationDocument, values: dict[str, Any], *unset: str
    ) -> RecordMigrationDocument:
        changed = await self._keeper.notes.update(migration, values, *unset)
        await self._keeper.refresh()
        return changed

    async def _enter_move(
        self, migration: RecordMigrationDocument, values: dict[str, Any]
    ) -> RecordMigrationDocument:
        """Enter the phase; a worker may have let the migration expand in the meantime, once.

        Go back where a worker of another shape has started before it could see the phase.
        """
        values = {**values, **_NOTHING_MOVED, "phase": "MOVE"}
        try:
            moving = await self._enter(migration, values, "position")
        except Misconfigured:
            found = await self._find()
            if found is None or found["phase"] not in OPEN_TO_EARLIER:
                raise
            migration, moving = found, await self._enter(found, values, "position")
        try:
            await self._keeper.require_alone(self._kind.name)
        except Misconfigured:
            await self._enter(moving, {"phase": migration["phase"]}, "acceptedLoss")
            raise
        return moving

    async def _restore_former(self, migration: RecordMigrationDocument) -> RecordMigrationDocument:
        """Note the earlier shape again; from here on it takes a run to go forward."""
        former = json.loads(migration["fromShape"])

        async def work(store: Transaction) -> RecordMigrationDocument:
            noted = (await read_shapes(store, self._database))[self._kind.name]
            earlier = tuple(one for one in noted.earlier if one != fingerprint(former))
            before = Noted(migration["number"] - 1, former, earlier)
            await replace_shape(store, self._database, self._kind.name, before)
            values = {**_NOTHING_MOVED, "phase": "BACK"}
            gone = ("position", "finishedDate", "seconds")
            return await self._keeper.notes.update(migration, values, *gone, inside=store)

        changed = await self._store.transact(work)
        await self._keeper.refresh()
        return changed

    async def _finish(self, migration: RecordMigrationDocument, seconds: float) -> RecordMigrationDocument:
        """Note the shape of now, which ends the migration."""
        shape = self._keeper.settling.shapes[self._kind.name]

        async def work(store: Transaction) -> RecordMigrationDocument:
            noted = (await read_shapes(store, self._database))[self._kind.name]
            later = noted.advance(migration["number"], json.loads(migration["fromShape"]), shape)
            await replace_shape(store, self._database, self._kind.name, later)
            values = {"phase": "DONE", "finishedDate": now(), "seconds": seconds}
            return await self._keeper.notes.update(migration, values, "position", inside=store)

        return await self._store.transact(work)

    async def _require_accepted(self, found: Found, accepted: Collection[str]) -> list[str]:
        access = as_service(self._kind, self._database)
        losses = await find_losses(self._store, access, found.steps, self._noted.number + 1)
        refused = [
            f"{name} in {count_things(number, 'record')}"
            for name, number in losses.items()
            if name not in accepted
        ]
        if refused:
            raise Misconfigured(
                f"values would be lost by {', '.join(refused)}: change these records first, or accept it "
                "with --accept-loss and the name of the step"
            )
        return list(losses)

    async def _wait_until_seen(self, migration: RecordMigrationDocument, *phases: str) -> None:
        """Wait until each worker alive applies the phase, or one of ``phases``.

        Raises ``Misconfigured`` if one never does.
        """
        name = migration["refName"]
        shown = {f"{name}:{phase}" for phase in phases} or {show_phase(migration)}
        deadline = time.monotonic() + _WAIT_SECONDS
        while True:
            await self._keeper.refresh()
            workers = await self._keeper.notes.read_workers()
            late = [one["refName"] for one in workers if shown.isdisjoint(one.get("seen", ()))]
            if not late:
                break
            if time.monotonic() > deadline:
                raise Misconfigured(f"the workers {', '.join(late)} do not follow migrations: restart them")
            await asyncio.sleep(_PAUSE)
        if self._keeper.settling.list_peers(workers):
            await _wait_for_writes(self._store)


async def _wait_for_writes(store: Store) -> None:
    """Wait for writes of the phase before, which may be on their way for as long as a command may take."""
    await asyncio.sleep(store.seconds)
