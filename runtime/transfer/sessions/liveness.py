"""Sessions whose file is being read end with the worker that reads it.

While a file is analysed its session's ``beat`` counts up. Every worker looks at the beats of all sessions now
and then: one that does not change for the length of a lease, by the looking worker's own clock, has lost its
worker, so it is discarded and its rows expire. Clocks are not compared, any number of workers may look, and
each step can be done again by another one: ``beat`` is only removed when the rows are gone. Every beat costs
an update, every look a query of an index in each realm.
"""

import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Final, TypeAlias

from runtime.errors import ServiceError
from runtime.filter import Projection, after, by_id, compile_filter, equals
from runtime.heartbeat import keep_repeating, outlive_faults
from runtime.logs import log
from runtime.model.clock import now
from runtime.sources import Databases
from runtime.storage.access import Access, Action
from runtime.storage.as_service import as_service
from runtime.storage.store import AnyStore, Changes, Store
from runtime.system.documents import ImportRowDocument, ImportSessionDocument
from runtime.system.record_types import IMPORT_ROW, IMPORT_SESSION
from runtime.transfer.sessions.session import Session, row_access

_BEATS_PER_LEASE: Final = 6
_LOOKS_PER_LEASE: Final = 3
_BEATING: Final = "beat:>=0"
_SEEN: Final = Projection(include=("state", "beat"))

_Key: TypeAlias = tuple[str, str]
"""Database and session."""


@asynccontextmanager
async def keep_beating(session: Session) -> AsyncIterator[None]:
    """Show that the session has a worker, as long as the block lasts."""
    seconds = session.call.service.settings.import_lease_seconds / _BEATS_PER_LEASE

    async def beat() -> None:
        with suppress(ServiceError):  # the next beat may come through; if none does the session ends
            await session.change(Changes(increment={"beat": 1}), state="ANALYZING")

    async with keep_repeating(beat, seconds, "import-beat"):
        yield


async def discard(session: Session) -> ImportSessionDocument | None:
    """End a session, and return it as it remains: a commit that is running stops.

    Its rows are removed at once, or with the next sweep of one that has a ``beat``.
    """
    ended = await session.change(Changes(set={"state": "DISCARDED", "beat": 0}, unset=("holder",)))
    with suppress(ServiceError):
        await _end_rows(session.call.store, row_access(session.call, Action.UPDATE), session.id)
        await session.change(Changes(unset=("beat",)))
    return ended


async def _end_rows(store: AnyStore, access: Access[ImportRowDocument], session_id: str) -> None:
    """Let the rows of a session expire. There may be more than one command can change: the next goes on."""
    at = now()
    lasting = equals(sessionId=session_id) & after((("expiresAt", 1),), [at])[0]
    await store.update_many(access, lasting, Changes(set={"expiresAt": at}))


class Sweep:
    """What one worker has seen of the beats of all sessions."""

    def __init__(
        self,
        store: Store,
        databases: Databases,
        lease_seconds: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store, self._databases = store, databases
        self._lease, self._clock = lease_seconds, clock
        self._time, self._looked_at = 0.0, clock()
        self._still: dict[_Key, tuple[object, float]] = {}

    async def look(self) -> int:
        """Look at all sessions once, and end those whose beat stood still. Returns how many."""
        self._advance()
        seen: dict[_Key, tuple[object, float]] = {}
        ended = 0
        for database in await self._databases():
            for document in await self._find_beating(database):
                key, beat = (database, str(document["_id"])), (document["state"], document["beat"])
                known = self._still.get(key)
                since = known[1] if known is not None and known[0] == beat else self._time
                if self._time - since >= self._lease:
                    ended += await self._end(database, document)
                else:
                    seen[key] = beat, since
        self._still = seen
        return ended

    def _advance(self) -> None:
        """Let time go on. A worker that stood still itself has seen nothing then, so that does not count."""
        passed = self._clock() - self._looked_at
        self._looked_at += passed
        self._time += min(passed, 2 * self._lease / _LOOKS_PER_LEASE)

    async def _find_beating(self, database: str) -> list[ImportSessionDocument]:
        kind = IMPORT_SESSION
        match = compile_filter(_BEATING, kind)
        return await self._store.find(as_service(kind, database), match, projection=_SEEN)

    async def _end(self, database: str, document: ImportSessionDocument) -> bool:
        """Discard a session and let its rows expire; False when its beat, or another worker, was faster."""
        access = as_service(IMPORT_SESSION, database, Action.UPDATE)
        session_id, discarded = str(document["_id"]), equals(state="DISCARDED")
        as_seen = by_id(session_id) & equals(state=document["state"], beat=document["beat"])
        if document["state"] == "ANALYZING":
            claim = Changes(set={"state": "DISCARDED"}, unset=("holder",))
            if await self._store.update_one(access, as_seen, claim) is None:
                return False
        await _end_rows(self._store, as_service(IMPORT_ROW, database, Action.UPDATE), session_id)
        await self._store.update_one(access, by_id(session_id) & discarded, Changes(unset=("beat",)))
        log.info("import.abandoned", session=session_id)
        return True


@asynccontextmanager
async def keep_sweeping(sweep: Sweep, lease_seconds: float) -> AsyncIterator[None]:
    """Look now and then, as long as the block lasts."""
    look = outlive_faults(sweep.look, "import.sweep_fault")
    async with keep_repeating(look, lease_seconds / _LOOKS_PER_LEASE, "import-sweep"):
        yield
