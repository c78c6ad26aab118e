"""The worker's part in keeping copied names right: checks the copies that notes name (``records.renames``).

One task per process. It learns of notes from its own writes, from the change stream, and by querying every
realm now and then. The first worker to find a due note holds it while it looks, and another goes on some
seconds after that one died. Checking twice does no harm.
"""

import asyncio
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final
from uuid import uuid4

from runtime.errors import ServiceError
from runtime.filter import EVERYTHING, Predicate, by_id, by_ids, equals
from runtime.heartbeat import heed_cancellation, keep_repeating, keep_running
from runtime.logs import log
from runtime.model.catalog import Catalog
from runtime.model.clock import now
from runtime.model.documents import tenant_of
from runtime.model.record_type import RecordType
from runtime.records.document.calculated import Expressions
from runtime.records.effects.copies import refresh
from runtime.records.effects.joint import Joint
from runtime.records.renames import LOOK_AFTER, RecentNotes
from runtime.records.rewriting import Reach, read_names
from runtime.sources import Databases
from runtime.storage.access import Action
from runtime.storage.as_service import as_service
from runtime.storage.store import Changes, Store
from runtime.storage.watching import Watcher
from runtime.system.documents import RenameDocument
from runtime.system.record_types import RENAME

_HELD: Final = timedelta(seconds=3)
_RENEWALS_PER_HOLD: Final = 3
_AT_ONCE: Final = 200
"""Notes that are looked at together."""

_SCAN_SECONDS, _SCAN_BLIND_SECONDS = 10.0, 0.5
"""How often every realm is queried for notes, with and without a change stream."""

_PAUSE_SECONDS: Final = 0.5
"""After a fault."""


class NameKeeper:
    """The task that checks copied names when notes are due.

    ``databases``: those of the active realms. ``watcher`` signals the notes of other workers, if there is
    one.
    """

    def __init__(
        self,
        store: Store,
        catalog: Catalog,
        expressions: Expressions,
        databases: Databases,
    ) -> None:
        self._store, self._catalog, self._expressions = store, catalog, expressions
        self._databases = databases
        self._own: set[str] = set()
        self._due: dict[str, float] = {}
        self._wake = asyncio.Event()
        self._scan_at = 0.0
        self.watcher: Watcher | None = None
        self.store_note, self.copy = RecentNotes().store_note, Joint().run

    def expect(self, database: str) -> None:
        """Expect a note in a database, since this process has stored one."""
        self._own.add(database)
        self.heed(database, None)

    def heed(self, database: str | None, _record_id: str | None) -> None:
        """Expect notes in a database, or in any for None.

        Other services may share the deployment: a signal from a database that is not an active realm's is
        ignored, as its owner checks it.
        """
        if database is None:
            self._scan_at = 0.0
        elif database in self._own:  # no note is due as soon as it is stored
            soon = time.monotonic() + LOOK_AFTER.total_seconds()
            self._due[database] = min(self._due.get(database, soon), soon)
        else:
            return
        self._wake.set()

    async def run(self) -> None:
        """Run until cancelled. Faults of the store are waited out, faults of the runtime are logged."""
        while True:
            self._wake.clear()
            try:
                seconds = await self._run_round()
            except ServiceError:
                seconds, self._scan_at = _PAUSE_SECONDS, 0.0
            except Exception as error:  # one bad note must not end the task that looks at all others
                log.error("copies.fault", exc_info=error)
                seconds = _PAUSE_SECONDS
            heed_cancellation()
            try:
                async with asyncio.timeout(seconds):
                    await self._wake.wait()
            except TimeoutError:
                pass

    async def _run_round(self) -> float:
        """Look at what is due; how many seconds until the next is."""
        if time.monotonic() >= self._scan_at:
            is_told = self.watcher is not None and self.watcher.is_alive
            interval = _SCAN_SECONDS if is_told else _SCAN_BLIND_SECONDS
            self._scan_at = time.monotonic() + interval
            self._own = set(await self._databases())
            self._due = dict.fromkeys(self._own, 0.0) | self._due
        for database in [name for name, at in self._due.items() if at <= time.monotonic()]:
            self._due.pop(database)
            again = await self._look(database)
            if again is not None:
                self._due.setdefault(database, time.monotonic() + again)
        return max(0.0, min([self._scan_at, *self._due.values()]) - time.monotonic())

    async def _look(self, database: str) -> float | None:
        """Look at the notes that are due in one database; seconds until the next, None without any."""
        notes = await self._store.find(
            as_service(RENAME, database), EVERYTHING, order=(("dueAt", 1),), limit=_AT_ONCE
        )
        moment = now()
        await self._settle(database, [note for note in notes if note["dueAt"] <= moment])
        waiting: list[datetime] = [note["dueAt"] for note in notes if note["dueAt"] > moment]
        if waiting:
            return max(0.0, (waiting[0] - now()).total_seconds())
        return 0.0 if len(notes) == _AT_ONCE else None

    async def _settle(self, database: str, notes: Sequence[RenameDocument]) -> None:
        if not notes:
            return
        holder = uuid4().hex
        renew = partial(self._renew, database, holder)
        async with keep_repeating(renew, _HELD.total_seconds() / _RENEWALS_PER_HOLD, "names-hold"):
            held = await self._take(database, notes, holder)
            for (target, tenant), group in held.items():
                reach = Reach(self._store, self._catalog, self._expressions, database, tenant)
                kind = self._catalog[target]
                ids = await _find_stale(reach, kind, group)
                changed = await refresh(reach, kind, ids, is_thorough=True) if ids else 0
                await self._release(database, group, holder, is_done=not changed)

    async def _take(
        self, database: str, notes: Sequence[RenameDocument], holder: str
    ) -> Mapping[tuple[str, str], list[RenameDocument]]:
        """Take the notes that no other worker has taken since; return them by type and tenant."""
        held: dict[tuple[str, str], list[RenameDocument]] = defaultdict(list)
        taken = Changes(set={"holder": holder, "dueAt": now() + _HELD})
        free = [(by_id(str(note["_id"])) & equals(holder=note["holder"]), taken) for note in notes]
        await self._store.update_each(as_service(RENAME, database, Action.UPDATE), free)
        for mine in await self._store.find(as_service(RENAME, database), _match_held(notes, holder)):
            held[mine["target"], tenant_of(mine)].append(mine)
        return held

    async def _renew(self, database: str, holder: str) -> None:
        """Hold the notes longer: two workers that took them from each other would never end."""
        with suppress(ServiceError):  # then another worker looks as well
            held = Changes(set={"dueAt": now() + _HELD})
            await self._store.update_many(
                as_service(RENAME, database, Action.UPDATE), equals(holder=holder), held
            )

    async def _release(
        self, database: str, notes: Sequence[RenameDocument], holder: str, *, is_done: bool
    ) -> None:
        """Remove notes that a look found right. What changed just now may have been copied since."""
        match = _match_held(notes, holder)
        if is_done:
            await self._store.delete_many(as_service(RENAME, database, Action.DELETE), match)
            return
        again = Changes(set={"dueAt": now() + LOOK_AFTER, "holder": uuid4().hex})  # renewed no longer
        await self._store.update_many(as_service(RENAME, database, Action.UPDATE), match, again)
        self._due[database] = 0.0


def _match_held(notes: Sequence[RenameDocument], holder: str) -> Predicate:
    """Match those of the notes that this holder still has."""
    return by_ids([str(note["_id"]) for note in notes]) & equals(holder=holder)


async def _find_stale(reach: Reach, kind: RecordType[Any], notes: Sequence[RenameDocument]) -> list[str]:
    """Return the ids of renamed records, and of those that have other names than were copied."""
    ids = {one for note in notes if "refNames" not in note for one in note["targets"]}
    copies = [
        (record_id, names)
        for note in notes
        if "refNames" in note
        for record_id, *names in zip(note["targets"], note["refNames"], note["displayNames"], strict=True)
    ]
    if copies:
        current = await read_names(reach, kind, sorted({record_id for record_id, _names in copies}))
        ids |= {one for one, names in copies if one in current and current[one] != tuple(names)}
    return sorted(ids)


@asynccontextmanager
async def run_name_keeper(keeper: NameKeeper, watcher: Watcher | None) -> AsyncIterator[None]:
    """Run the keeper as long as the block lasts; ``watcher`` signals the notes of other workers."""
    keeper.watcher = watcher
    async with keep_running(keeper.run(), "names"):
        yield
