"""The routes of completion tasks and groups that are not those of every record type.

They write by the one path of all records, so that scope, rules, references and limits hold alike. What the
server sets goes with the write as a stamp.
"""

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from runtime.access.guard import allow
from runtime.call import Call
from runtime.errors import MissingReference
from runtime.filter import locate
from runtime.model.clock import now
from runtime.model.mappings import without_nones
from runtime.model.record_type import RecordType
from runtime.model.scalars import OBJECT_ID_PATTERN, spell_id
from runtime.records import Writing, patch_stamped
from runtime.records.change import Change
from runtime.records.document.terms import PLAIN, Terms
from runtime.records.operations.write import as_seen, locate_stored, read_entity, save_sent
from runtime.storage.access import Action
from runtime.storage.wire import Json, create_id, to_json
from runtime.system.models.new_group import NewGroup
from runtime.system.models.new_task import NewTask
from runtime.system.record_types import COMPLETION_TASK, COMPLETION_TASK_GROUP

_COMMON = ("refName", "displayName", "status", "createdDate", "completedDate")


async def create_group(call: Call, body: NewGroup) -> Json[Any]:
    """Create a group, which begins as NEW. Raises what a save does."""
    named = {"refName": body.ref_name, "displayName": body.display_name, "description": body.description}
    return await _create(call, COMPLETION_TASK_GROUP, named, (*_COMMON, "description"))


async def create_task(call: Call, body: NewTask, *, group_id: str) -> Json[Any]:
    """Create a task, which begins as PENDING; one whose group cannot be found has none.

    Raises what a save does.
    """
    create = partial(_create, call, COMPLETION_TASK, shown=(*_COMMON, "details", "result", "group"))
    named = {"refName": body.ref_name, "displayName": body.display_name, "details": body.details}
    group = spell_id(group_id)
    if re.fullmatch(OBJECT_ID_PATTERN, group):
        try:
            return await create({**named, "group": {"entityId": group}})
        except MissingReference:
            pass
    return await create(named)


async def complete(
    call: Call, *, id_: str, status: str, result: str | None, if_match: str | None
) -> Json[Any]:
    """Give a task its status and result, and the time of now. Without a result it has none.

    A caller from whom rules withhold the result leaves it as it is. Raises ``NotFound``, ``UnknownField`` for
    what is withheld, and what a patch does.
    """
    withheld = allow(call, COMPLETION_TASK, Action.UPDATE).withheld
    changes = {"status": status, "result": result}
    if result is None and "result" in withheld:
        del changes["result"]
    for name in changes:
        locate(COMPLETION_TASK, name, withheld)
    writing = Writing(call, COMPLETION_TASK, id_, Terms(expected=if_match))
    render = partial(_render, call, ("status", "completedDate", "result"))
    return await patch_stamped(writing, changes, _stamp_completion(), render)


def _stamp_completion() -> dict[str, Any]:
    """Return the time, and another value each time: two completions may have one time and one status."""
    return {"completedDate": now(), "completion": str(create_id())}


async def _create(
    call: Call, kind: RecordType[Any], named: Mapping[str, Any], shown: tuple[str, ...]
) -> Json[Any]:
    sent = read_entity(call, kind, without_nones(named))._replace(stamps={"createdDate": now()})
    return await save_sent(call, kind, sent, partial(_render, call, shown), PLAIN)


def _render(call: Call, names: tuple[str, ...], change: Change) -> Json[Any]:
    """Render some fields of what was written, as far as the caller may view them."""
    document = change.after or {}
    seen = as_seen(call, change.kind, document) or {}
    shown = {name: seen[name] for name in names if name in seen}
    if "group" in shown:
        shown["group"] = {"id": shown["group"]["entityId"]}
    body = to_json({"id": document["_id"], **shown})
    if change.before is not None:
        return Json(body)
    return Json(body, 201, {"Location": locate_stored(call, change.kind, document)})
