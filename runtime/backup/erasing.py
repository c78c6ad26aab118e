"""Erasing a tenant: everything of it, in all collections of its realm, the history included.

Users go first, so that nobody of the tenant writes again. A record of the erasure counts what is removed, and
has no name of the tenant. A killed erasure is continued by running it again.
"""

import asyncio
import hashlib
from dataclasses import dataclass
from typing import Final

from runtime.backup.marks import find_pause
from runtime.backup.parts import Place, Report, count_records, list_kinds
from runtime.backup.problems import InTheWay, Remaining
from runtime.call import Service
from runtime.filter import by_id, equals
from runtime.model.catalog import Catalog
from runtime.model.clock import now
from runtime.model.counting import count_things
from runtime.storage.access import Access, Action
from runtime.storage.as_service import as_service
from runtime.storage.indexes import apply_indexes
from runtime.storage.own_documents import OF_NO_TENANT, complete_document
from runtime.storage.store import Changes
from runtime.storage.wire import create_id
from runtime.system.documents import ErasureDocument
from runtime.system.record_types import ERASURE

_OF_THE_SERVICE: Final = frozenset({"service", "self-registered-clients"})
_PASSES: Final = 5


@dataclass(frozen=True, slots=True)
class Erased:
    """What was erased, by collection; ``record``: the id of the record of the erasure."""

    record: str
    removed: dict[str, int]


async def count_tenant(service: Service, place: Place) -> dict[str, int]:
    """Count the documents of a tenant by collection. Raises ``InTheWay`` for those of the service."""
    _require_tenant(place)
    return await count_records(service, place, await list_kinds(service, place))


async def erase_tenant(service: Service, place: Place, report: Report) -> Erased:
    """Erase a tenant, and look again until nothing is left.

    Raises ``Remaining`` when others keep writing, ``InTheWay`` for tenants of the service itself.
    """
    _require_tenant(place)
    record = await _find_or_begin(service, place)
    done = 0
    for number in range(_PASSES):
        for kind in reversed(await list_kinds(service, place)):
            access = place.allow(kind, Action.DELETE)
            while removed := await service.store.remove_some(access):
                await _note(service, place, record, kind.collection, removed)
                report(done := done + removed)
        if number == 0:  # its users are gone; what they began may not be
            await asyncio.sleep(await find_pause(service))
        if not (left := await count_tenant(service, place)):
            return await _finish(service, place, record)
    documents = sum(left.values())
    were = "was" if documents == 1 else "were"
    message = f"{count_things(documents, 'document')} of {place} {were} written again"
    raise Remaining(f"{message}: stop what writes, run it again")


async def find_unfinished(service: Service, place: Place) -> str | None:
    """Find the record of an erasure of the tenant that has begun and not ended."""
    for one in await service.store.find(_access(place), equals(activeStatus="INACTIVE")):
        if one["tenantDigest"] == _digest(str(one["_id"]), place):
            return str(one["_id"])
    return None


async def count_unfinished(service: Service, database: str) -> int:
    """Return how many erasures of a realm have begun and not ended."""
    return await service.store.count(as_service(ERASURE, database), equals(activeStatus="INACTIVE"))


def _require_tenant(place: Place) -> None:
    if place.tenant is None or place.tenant in _OF_THE_SERVICE:
        raise InTheWay(f"{place} belongs to the service itself: it cannot be erased")


async def _find_or_begin(service: Service, place: Place) -> str:
    """Find the record of an erasure that was interrupted, or store one."""
    await apply_indexes(service.store, place.database, Catalog((ERASURE,)))
    if (unfinished := await find_unfinished(service, place)) is not None:
        return unfinished
    own, at = create_id(), now()
    fields: ErasureDocument = {"tenantDigest": _digest(str(own), place), "startedAt": at, "removed": {}}
    document = complete_document(fields, str(own), OF_NO_TENANT, at)
    document["_id"], document["activeStatus"] = own, "INACTIVE"
    await service.store.insert(_access(place, Action.CREATE), document)
    return str(own)


async def _note(service: Service, place: Place, record: str, collection: str, removed: int) -> None:
    path = f"removed.{collection.replace('.', '_').replace('$', '_')}"
    await service.store.update_one(
        _access(place, Action.UPDATE), by_id(record), Changes(increment={path: removed})
    )


async def _finish(service: Service, place: Place, record: str) -> Erased:
    changes = Changes(set={"finishedAt": now(), "activeStatus": "ACTIVE"}, increment={"version": 1})
    stored = await service.store.update_one(_access(place, Action.UPDATE), by_id(record), changes)
    return Erased(record, {} if stored is None else dict(stored["removed"]))


def _digest(record: str, place: Place) -> str:
    return hashlib.sha256(f"{record}:{place.tenant}".encode()).hexdigest()


def _access(place: Place, action: Action = Action.VIEW) -> Access[ErasureDocument]:
    return as_service(ERASURE, place.database, action)
