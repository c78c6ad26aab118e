"""Groups that were completed long ago are removed with their tasks, where a setting says so.

How long ago counts from the last write of the group, by the server's clock: ``completedDate`` is what an
application says. Any number of workers may look. Tasks go first, in transactions that also write to the
group: so the group outlasts its tasks, and one that is changed in the meantime stays.
"""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Final

from runtime.filter import Projection, by_id, by_ids, compile_filter, equals, refers_to
from runtime.heartbeat import keep_repeating, outlive_faults
from runtime.logs import log
from runtime.model.documents import tenant_of
from runtime.principal import DomainScope
from runtime.sources import Databases
from runtime.storage.access import Action
from runtime.storage.as_service import as_service
from runtime.storage.store import LOCK, Changes, Store, Transaction
from runtime.storage.wire import create_id
from runtime.system.documents import CompletionTaskGroupDocument
from runtime.system.record_types import COMPLETION_TASK, COMPLETION_TASK_GROUP

_LOOK_SECONDS: Final = 60.0
_GROUPS_A_LOOK: Final = 100
_TASKS_AT_ONCE: Final = 1000
_FINISHED: Final = "status:COMPLETE && auditInfo.lastUpdatedDate:<=${until}"
_ID: Final = Projection(include=("id",))


@asynccontextmanager
async def keep_expiring(store: Store, databases: Databases, keep_seconds: int) -> AsyncIterator[None]:
    """Remove finished groups now and then, during the block; none where ``keep_seconds`` is 0."""
    if not keep_seconds:
        yield
        return

    async def look() -> None:
        for database in await databases():
            await remove_finished(store, database, keep_seconds)

    lasting, seconds = outlive_faults(look, "completion.expiry_fault"), min(_LOOK_SECONDS, keep_seconds)
    async with keep_repeating(lasting, seconds, "completion-expiry"):
        yield


async def remove_finished(store: Store, database: str, keep_seconds: int) -> int:
    """Remove groups that are COMPLETE and were last written so many seconds ago; return how many.

    Raises ``ServiceError``.
    """
    until = datetime.now(UTC) - timedelta(seconds=keep_seconds)
    kind = COMPLETION_TASK_GROUP
    match = compile_filter(_FINISHED, kind, {"until": until.isoformat()})
    order = (("status", 1), ("auditInfo.lastUpdatedDate", 1))
    found = await store.find(as_service(kind, database), match, order=order, limit=_GROUPS_A_LOOK)
    removed = 0
    for group in found:
        outcome: bool | None = None
        while outcome is None:
            outcome = await store.transact(partial(_remove_some, database=database, group=group))
        removed += outcome
    if removed:
        log.info("completion.expired", groups=removed)
    return removed


async def _remove_some(
    store: Transaction, *, database: str, group: CompletionTaskGroupDocument
) -> bool | None:
    """Remove some tasks of a group, and the group after the last.

    Return whether the group is gone by this; None while tasks are left.
    """
    domain, group_id = DomainScope(tenant_id=tenant_of(group)), str(group["_id"])
    as_seen = by_id(group_id) & equals(version=group["version"])
    holding = as_service(COMPLETION_TASK_GROUP, database, Action.UPDATE, domain)
    if await store.update_one(holding, as_seen, Changes(set={LOCK: create_id()})) is None:
        return False
    tasks = as_service(COMPLETION_TASK, database, Action.DELETE, domain)
    belongs = refers_to(["group.entityId"], [group_id])
    rows = await store.find(tasks, belongs, projection=_ID, limit=_TASKS_AT_ONCE)
    if rows:
        await store.delete_many(tasks, by_ids([str(row["_id"]) for row in rows]))
    if len(rows) == _TASKS_AT_ONCE:
        return None
    return await store.delete_one(as_service(COMPLETION_TASK_GROUP, database, Action.DELETE, domain), as_seen)
