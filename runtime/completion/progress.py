"""How far the tasks of a group are: one command, however many there are."""

from typing import Any, Final

from runtime.access.guard import allow
from runtime.call import Call
from runtime.filter import by_id, locate, refers_to
from runtime.model.problems import no_record
from runtime.model.record_type import RecordType
from runtime.storage.access import Action
from runtime.storage.store import Function, Grouping, Key, Measure, key_column, measure_column
from runtime.system.answers import GroupProgressBody
from runtime.system.documents import CompletionTaskGroupDocument
from runtime.system.record_types import COMPLETION_TASK, COMPLETION_TASK_GROUP

_TASKS: Final[RecordType[Any]] = COMPLETION_TASK
_STATUSES: Final = ("PENDING", "RUNNING", "SUCCESS", "FAILED")
_BY_STATUS: Final = Grouping((Key("status"),), (Measure(Function.COUNT),), limit=len(_STATUSES) + 1)


async def count_tasks(call: Call, *, id_: str) -> GroupProgressBody:
    """Count the tasks of a group that the caller may view. Raises ``NotFound``."""
    group = await find_group(call, id_)
    access = allow(call, _TASKS, Action.VIEW)
    key = locate(_TASKS, "group", access.hidden).path  # unknown to a caller from whom a rule hides it
    rows = await call.store.group(access, refers_to([f"{key}.entityId"], [id_]), _BY_STATUS)
    found = {row[key_column(0)]: int(row[measure_column(0)]) for row in rows}
    pending, running, success, failed = (found.get(status, 0) for status in _STATUSES)
    return {
        "id": group["_id"],
        "status": group.get("status"),
        "total": sum(found.values()),
        "pending": pending,
        "running": running,
        "success": success,
        "failed": failed,
    }


async def find_group(call: Call, group_id: str) -> CompletionTaskGroupDocument:
    """Find a group that the caller may view: its id and status. Raises ``NotFound`` and ``Denied``."""
    access = allow(call, COMPLETION_TASK_GROUP, Action.VIEW)
    found = await call.store.find_one(access, by_id(group_id, COMPLETION_TASK_GROUP.name))
    if found is None:
        raise no_record(COMPLETION_TASK_GROUP.name, group_id)
    return found
