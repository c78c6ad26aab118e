"""A worker's part in migrations: it announces itself, and applies the phases that it reads.

It reads them at its start, when a change is reported, and every few seconds. Before its first request it has
announced itself, so no phase advances without it. A command takes part when it writes: one that only reads
understands both spellings, announces nothing and begins nothing.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any, Final
from uuid import uuid4

from runtime.errors import IndexMissing, Misconfigured, ServiceError, StoreUnavailable
from runtime.heartbeat import keep_repeating
from runtime.logs import log
from runtime.migrations.force import Found
from runtime.migrations.notes import ALIVE, MigrationNotes, show_phase
from runtime.migrations.settle import Key, Settling
from runtime.model.catalog import Catalog
from runtime.model.counting import count_things
from runtime.sources import Databases
from runtime.spelling import Shape
from runtime.storage.access import Access
from runtime.storage.store import Store, explain_faults
from runtime.system.record_types import RECORD_MIGRATION, SERVICE_WORKER, STORED_SHAPE

_SECONDS: Final = 2.0
_QUIET_SECONDS: Final = 5.0
"""The pause while there is nothing to follow. A worker announces itself three times before it is taken for
dead, and nobody waits for one that has nothing to see: a migration begins with a worker that has it due."""

_VALID_SECONDS: Final = 10.0
"""How long what was read is good for: less than a worker is taken for alive."""

_LAST_SECONDS: Final = 0.5
"""How long the end of a process waits for a store that has just not answered."""

_UNTRACKED: Final = frozenset({RECORD_MIGRATION.name, STORED_SHAPE.name, SERVICE_WORKER.name})

Check = Callable[[Access[Any]], Awaitable[None]]


class Keeper:
    """The migrations as one process sees them. ``databases``: of active realms; ``found``: due, and in force.

    ``is_command``: it takes part in what would have to begin once it writes records of the type.
    """

    def __init__(
        self, store: Store, catalog: Catalog, default: str, databases: Databases, *, is_command: bool = False
    ) -> None:
        shapes = _read_file(catalog)
        kinds = {kind.name: kind for kind in catalog if kind.name in shapes}
        self.store, self.notes = store, MigrationNotes(store, default)
        only: set[str] | None = set() if is_command else None
        self.settling = Settling(self.notes, kinds, shapes, uuid4().hex, only=only)
        self._is_shown = not is_command
        self.found: Mapping[Key, Found] = {}
        self.seen: tuple[str, ...] = ()
        self._databases = databases
        self._known: object = None
        self._turn, self._joining = asyncio.Lock(), asyncio.Lock()
        self._task: asyncio.Task[None] | None = None
        self._is_announced = self._is_unanswered = self._is_closed = False

    @property
    def is_idle(self) -> bool:
        """Whether there is nothing to follow: the application does not say how its records are stored."""
        return not self.settling.shapes

    @property
    def due(self) -> int:
        """The number of record types that have records in an earlier shape, over all realms."""
        return sum(1 for one in self.found.values() if one.steps)

    @property
    def pause(self) -> float:
        """Seconds until the phases are read again, if no change is reported before."""
        return _SECONDS if self.seen or self.due else _QUIET_SECONDS

    async def open(self) -> None:
        """Announce this process, and apply what is in force. Raises ``Misconfigured``."""
        if self._is_shown:
            await self.take_part()
        await self.refresh()

    async def take_part(self) -> None:
        """Announce this process, whether or not it writes: others wait for what it does."""
        self._is_shown = True
        async with self._take_turn():
            await self._announce()

    async def require_alone(self, kind: str | None = None) -> None:
        """Require that no worker of another version writes records that nobody would visit any more.

        ``kind``: only workers that store this record type in another shape count. Raises ``Misconfigured``.
        """
        if self.is_idle:
            return
        await self.take_part()
        workers, settling = await self.notes.read_workers(), self.settling
        others = settling.list_strangers(workers) if kind is None else settling.list_others(workers, kind)
        if others:
            one, many = ("is alive", "are alive") if kind is None else (f"stores {kind}", f"store {kind}")
            who = ("worker of another version " + one, "workers of another version " + many)
            raise Misconfigured(
                f"{count_things(len(others), *who)}: stop them first (one that was killed counts "
                f"as alive for {ALIVE.total_seconds():.0f} s)"
            )

    def join_after(self, check: Check) -> Check:
        """Return what a command awaits before each change: ``check``, and that what must begin has begun."""

        async def check_and_join(access: Access[Any]) -> None:
            await check(access)
            await self._join(access)

        return check_and_join

    async def _join(self, access: Access[Any]) -> None:
        """Begin the migration of the records that a command is about to write, if one has to begin.

        Of several writes at the same time all wait for it. Announced before the first one, the process counts
        for migrations of other types as well.
        """
        only, kind = self.settling.only, access.kind.name
        if only is None or kind not in self.settling.kinds:
            return
        if self._is_shown and not self._must_begin(access):
            return
        async with self._joining:
            if not self._is_shown:
                await self.take_part()
            if self._must_begin(access):
                only.add(kind)
                await self.refresh()

    def _must_begin(self, access: Access[Any]) -> bool:
        found = self.found.get((access.database, access.kind.name))
        return found is not None and found.todo in ("begin", "adopt")

    async def close(self) -> None:
        """Say that this process is gone; one that cannot is taken for dead soon."""
        self._is_closed = True
        try:
            async with self._turn:
                if self._is_announced:
                    async with asyncio.timeout(_LAST_SECONDS if self._is_unanswered else None):
                        with explain_faults():  # what the store refuses ended the service, or harms no other
                            await self.notes.retire(self.settling.worker)
        except (ServiceError, TimeoutError):
            return
        except Exception as error:  # a fault of ours must not keep a service from ending
            log.error("migrations.fault", exc_info=error)

    async def refresh(self) -> None:
        """Read and apply the phases. Raises ``Misconfigured``, ``StoreUnavailable``."""
        async with self._take_turn():
            if self._is_closed:
                return
            began = time.monotonic()
            migrations = await self.notes.read_in_force()
            databases = await self._databases()
            seen = tuple(sorted(map(show_phase, migrations)))
            if (seen, list(databases)) != self._known or self.due:
                settled = await self.settling.settle(databases, migrations)
                self.found, self._known = settled.found, (seen, list(databases))
                self.store.spellings.table = settled.table
                self.store.spellings.refused = frozenset(settled.refused)
                for error in settled.refused.values():
                    raise error
            self.store.spellings.valid_until = began + _VALID_SECONDS
            self.seen = seen
            if self._is_shown or not any(one.todo == "begin" for one in self.found.values()):
                await self._announce()

    async def refresh_or_log(self) -> None:
        """Refresh, for work that is repeated."""
        try:
            await self.refresh()
        except Misconfigured as error:
            log.error("migrations.refused", reason=error.message)
        except ServiceError:  # what is known expires
            return
        except Exception as error:  # a fault of ours must not end the work of this process for good
            log.error("migrations.fault", exc_info=error)

    def heed(self, _database: str | None, _record_id: str | None) -> None:
        """Refresh at once, since a migration has changed."""
        if not self.is_idle and (self._task is None or self._task.done()):
            self._task = asyncio.create_task(self.refresh_or_log(), name="migrations")

    async def _announce(self) -> None:
        """Announce this process; without the indexes for that no migration can run either."""
        labels = [self.settling.label(kind) for kind in self.settling.kinds]
        self._is_announced = True  # before the answer, which may be lost
        with suppress(IndexMissing):
            seen = [*self.seen, *self._list_unaware()]
            await self.notes.announce(self.settling.worker, labels, seen)

    @asynccontextmanager
    async def _take_turn(self) -> AsyncIterator[None]:
        """Take the turn for commands of the store, and note whether they are answered."""
        async with self._turn:
            try:
                yield
            except StoreUnavailable:
                self._is_unanswered = True
                raise
            self._is_unanswered = False

    def _list_unaware(self) -> list[str]:
        """List the migrations that are due, and that this worker does without."""
        return [
            self.settling.show_unaware(database, kind)
            for (database, kind), found in self.found.items()
            if found.steps and found.spelling is None
        ]


def _read_file(catalog: Catalog) -> Mapping[str, Shape]:
    if catalog.shapes is None:
        return {}
    found: dict[str, Shape] = json.loads(catalog.shapes.read_text("utf-8"))
    return {name: shape for name, shape in found.items() if name not in _UNTRACKED}


@asynccontextmanager
async def run_keeper(keeper: Keeper) -> AsyncIterator[None]:
    """Announce this process and follow migrations during the block. Raises ``Misconfigured``."""
    if keeper.is_idle:
        yield
        return
    try:
        await keeper.open()
        async with keep_repeating(keeper.refresh_or_log, lambda: keeper.pause, "migrations"):
            yield
    finally:
        await keeper.close()
