"""The mark of a restore that is under way, in the default realm: a realm that has one does not serve.

It is stored before anything is removed or written and deleted once everything is stored, so a restore that
was killed leaves it; then the same backup has to be restored again, or the restore be abandoned.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from runtime.backup.parts import Place
from runtime.backup.problems import Interrupted, InTheWay
from runtime.call import Service
from runtime.errors import Duplicate, ServiceError
from runtime.filter import EVERYTHING, equals
from runtime.identity.memory import UNTOLD_SECONDS
from runtime.migrations import Keeper
from runtime.model.catalog import Catalog
from runtime.storage.access import Access, Action
from runtime.storage.as_service import as_service
from runtime.storage.indexes import apply_indexes
from runtime.storage.own_documents import OF_NO_TENANT, complete_document
from runtime.storage.store import Changes, Snapshot
from runtime.system.documents import RestorationDocument
from runtime.system.record_types import RESTORATION

_LEASE: Final = timedelta(seconds=30)
_BEAT_SECONDS: Final = 5.0


@dataclass
class Mark:
    """The mark of the restore that this process runs. ``is_continued``: an earlier one was interrupted."""

    service: Service
    name: str
    is_continued: bool
    beaten: float = 0.0

    async def beat(self) -> None:
        """Show others now and then that the restore runs. Raises ``Interrupted`` if it was abandoned."""
        if time.monotonic() - self.beaten < _BEAT_SECONDS:
            return
        self.beaten = time.monotonic()
        access = _access(self.service, Action.UPDATE)
        changes = Changes(set={"beat": await self.service.store.read_clock()})
        if await self.service.store.update_one(access, equals(refName=self.name), changes) is None:
            raise Interrupted("the mark of this restore was removed: another command abandoned it")

    async def await_workers(self) -> None:
        """Wait until nothing is written by what began before the mark was set."""
        until = time.monotonic() + await find_pause(self.service)
        while (left := until - time.monotonic()) > 0:
            await self.beat()
            await asyncio.sleep(min(left, _BEAT_SECONDS))

    @asynccontextmanager
    async def release_if_cancelled(self) -> AsyncIterator[None]:
        """Let the next command take over at once where this one is cancelled."""
        try:
            yield
        except asyncio.CancelledError:
            with suppress(ServiceError):  # then the next one waits until the mark is old
                await self._release()
            raise

    async def _release(self) -> None:
        access = _access(self.service, Action.UPDATE)
        changes = Changes(set={"beat": await self.service.store.read_clock() - _LEASE})
        await self.service.store.update_one(access, equals(refName=self.name), changes)

    async def remove(self) -> None:
        """Have the realm serve again."""
        access = _access(self.service, Action.DELETE)
        await self.service.store.delete_many(access, equals(refName=self.name))


async def find_pause(service: Service) -> float:
    """Return for how many seconds running workers may go on writing what they are no longer to write.

    A worker sees marks and users as they were up to a second ago, and looks before each command. The last one
    may take its time limit, and so may the commit of its transaction. None runs: 0.
    """
    keeper = service.migrations
    if isinstance(keeper, Keeper) and not keeper.is_idle:
        workers = await keeper.notes.read_workers()
        if not keeper.settling.list_peers(workers):
            return 0
    return UNTOLD_SECONDS + 2 * service.store.seconds


async def find_mark(service: Service, place: Place) -> RestorationDocument | None:
    """Find the mark of a restore of this realm or tenant."""
    return await service.store.find_one(_access(service), equals(refName=name_of(place)))


async def list_marked(service: Service) -> list[str]:
    """List the realms and tenants into which a restore has begun and not ended."""
    found = await service.store.find(_access(service), EVERYTHING)
    return sorted(one["refName"] for one in found)


async def require_whole(service: Service, place: Place, snapshot: Snapshot) -> None:
    """Raise ``Interrupted`` if a snapshot shows what is being restored, so a part of it may be missing."""
    own = (None, place.tenant)
    for mark in await snapshot.find_all(_access(service)):
        if mark["realm"] == place.realm and (place.tenant is None or mark.get("tenant") in own):
            marked = Place(place.realm, place.database, mark.get("tenant"))
            state = "is being restored, or its restore was interrupted"
            raise Interrupted(f"{marked} {state}: finish that first, or --abandon it")


async def set_mark(service: Service, place: Place, backup: str) -> Mark:
    """Mark a realm or tenant, or continue what was interrupted.

    Raises ``InTheWay`` while another command restores here, ``Interrupted`` where another backup was begun.
    """
    await apply_indexes(service.store, service.settings.default_realm, Catalog((RESTORATION,)))
    at, name = await service.store.read_clock(), name_of(place)
    fields: RestorationDocument = {"realm": place.realm, "backup": backup, "startedAt": at, "beat": at}
    if place.tenant is not None:
        fields["tenant"] = place.tenant
    document = complete_document(fields, name, OF_NO_TENANT, at)
    try:
        await service.store.insert(_access(service, Action.CREATE), document)
    except Duplicate:
        await take_over(service, place, backup)
        return Mark(service, name, is_continued=True)
    return Mark(service, name, is_continued=False)


async def take_over(service: Service, place: Place, backup: str | None = None) -> Mark:
    """Take over an interrupted restore of this backup (None: of any). Raises as ``set_mark`` does."""
    found = await find_mark(service, place)
    if found is None:
        raise Interrupted(f"{place} has no interrupted restore")
    if backup is not None and found["backup"] != backup:
        begun = f"the restore of backup {found['backup']} into {place} was interrupted"
        raise Interrupted(f"{begun}: restore the same file again, or remove what it stored with --abandon")
    at = await service.store.read_clock()  # the clock of the machine that runs the other may differ
    if found["beat"] > at - _LEASE:
        raise InTheWay(
            f"another command restores {place}, or did {_LEASE.seconds} s ago: wait, then try again"
        )
    changes = Changes(set={"beat": at}, increment={"version": 1})
    match = equals(refName=found["refName"], version=found["version"])
    if await service.store.update_one(_access(service, Action.UPDATE), match, changes) is None:
        raise InTheWay(f"another command restores {place}: wait, then try again")
    return Mark(service, found["refName"], is_continued=True)


def name_of(place: Place) -> str:
    """Return the refName of the mark."""
    return place.realm if place.tenant is None else f"{place.realm}/{place.tenant}"


def _access(service: Service, action: Action = Action.VIEW) -> Access[RestorationDocument]:
    return as_service(RESTORATION, service.settings.default_realm, action)
