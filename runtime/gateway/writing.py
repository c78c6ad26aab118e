"""The operations of the gateway that write records, on the functions of the record routes.

A dry run is an argument, so that it means the same at every door. It takes no effect, hence signs no receipt.
"""

from dataclasses import replace
from functools import partial
from typing import Any, Final

from runtime.access.guard import allow, find_access
from runtime.aside import run_aside
from runtime.call import Call
from runtime.errors import ValidationFailed
from runtime.gateway.root_types import find_root_type
from runtime.records import Deleting, delete_matching
from runtime.records.change import Change
from runtime.records.document.terms import PLAIN, Terms
from runtime.records.operations.write import as_seen, delete_named, read_entity, save_sent
from runtime.records.relations import compile_callers_filter
from runtime.records.time_zone import enter_time_zone
from runtime.storage.access import Action
from runtime.storage.wire import Json, to_json, to_wire
from runtime.system.models.query_delete_many_request import QueryDeleteManyRequest
from runtime.system.models.query_delete_request import QueryDeleteRequest
from runtime.system.models.query_save_request import QuerySaveRequest

_DRY: Final = {"Dry-Run": "true"}


async def save(call: Call, body: QuerySaveRequest, terms: Terms = PLAIN) -> Json[Any]:
    """Insert or replace a record, with every check of the save of its type. ``terms``: versions alone."""
    kind = find_root_type(call, body.root_type, "save")
    if not (find_access(call, kind, Action.CREATE) or find_access(call, kind, Action.UPDATE)):
        allow(call, kind, Action.CREATE)  # raises, and names what is missing
    sent = await run_aside(partial(read_entity, call, kind, body.entity))
    call, terms = _apply_dry_run(call, terms, is_dry_run=bool(body.dry_run))
    return await save_sent(call, kind, sent, partial(_render_saved, call, terms), terms)


async def delete(call: Call, body: QueryDeleteRequest, terms: Terms = PLAIN) -> Json[Any]:
    """Delete or archive a record, with every check of the delete of its type. ``terms``: as of ``save``."""
    kind = find_root_type(call, body.root_type, "delete")
    allow(call, kind, Action.DELETE)
    call, terms = _apply_dry_run(call, terms, is_dry_run=bool(body.dry_run))

    def render(_change: Change) -> Json[Any]:
        return _render_deleted(terms, 1)

    return await delete_named(call, kind, body.id, render, terms)


async def delete_many(call: Call, body: QueryDeleteManyRequest) -> Json[Any]:
    """Delete or archive all records that match, or none. ``confirm``: how many these must be."""
    kind = find_root_type(call, body.root_type, "delete")
    allow(call, kind, Action.DELETE)
    access = allow(call, kind, Action.VIEW)
    match = await compile_callers_filter(enter_time_zone(call, body.time_zone), access, body.query)
    call, terms = _apply_dry_run(call, PLAIN, is_dry_run=bool(body.dry_run))
    deleting = Deleting(kind, match, call.service.settings.max_deletions)

    def render(number: int) -> Json[Any]:
        if body.confirm is not None and body.confirm != number:  # nothing has been stored yet
            raise ValidationFailed.at("confirm", f"is {body.confirm}, but matched is {number}")
        return _render_deleted(terms, number)

    return await delete_matching(call, deleting, render, terms)


def _apply_dry_run(call: Call, terms: Terms, *, is_dry_run: bool) -> tuple[Call, Terms]:
    return (replace(call, receipt=None), replace(terms, is_dry_run=True)) if is_dry_run else (call, terms)


def _render_saved(call: Call, terms: Terms, change: Change) -> Json[Any]:
    """Render what was saved; the record itself as far as the caller may view it."""
    document = change.after or {}
    answer = {"id": document["_id"], "version": document["version"], "inserted": change.before is None}
    shown = as_seen(call, change.kind, document)
    if shown is not None:
        answer["record"] = to_wire(shown)
    return Json(to_json(answer), headers=_DRY if terms.is_dry_run else {})


def _render_deleted(terms: Terms, number: int) -> Json[Any]:
    answer = {"matched": number, "deleted": 0 if terms.is_dry_run else number}
    return Json(to_json(answer), headers=_DRY if terms.is_dry_run else {})
