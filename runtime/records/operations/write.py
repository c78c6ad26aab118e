"""The routes that write one record: save (insert or full replace), delete and restore."""

from __future__ import annotations

from typing import Any, TypeVar

from runtime.access.guard import allow
from runtime.aside import run_aside
from runtime.call import Call
from runtime.errors import Denied
from runtime.model.record import Record, RecordInput
from runtime.model.record_type import RecordType
from runtime.records.change import (
    Change,
    prepare_deletion,
    prepare_insertion,
    prepare_restoration,
    prepare_update,
    refuse_stale_insert,
    require_expected,
    require_stored,
)
from runtime.records.document.sent import Sent, read_sent
from runtime.records.document.terms import PLAIN, Terms
from runtime.records.operations.actions import Actions
from runtime.records.settle import Prepare, settle
from runtime.storage.access import Action
from runtime.storage.wire import Json, etag, record_json, without

R = TypeVar("R", bound=Record)
Document = dict[str, Any]


async def save(call: Call, kind: RecordType[R], body: RecordInput, terms: Terms = PLAIN) -> Json[R]:
    """Insert (201, ``Location``) or replace (200) one record.

    An id that the caller cannot see is as good as none: the record is inserted under an id of the
    server, so that absent and forbidden look alike. Raises ``VersionConflict``, ``PreconditionFailed``,
    ``Duplicate``, ``ValidationFailed``, ``InvalidStateTransition``, ``MissingReference``, ``Denied``.
    """
    sent = await run_aside(lambda: read_sent(kind, body))
    return await settle(
        call,
        kind,
        sent.record_id,
        lambda stored: prepare_save(call, kind, sent, stored, terms),
        lambda change: render_saved_record(call, change, terms),
        terms,
    )


async def prepare_save(
    call: Call, kind: RecordType[Any], sent: Sent, stored: Document | None, terms: Terms = PLAIN
) -> Change:
    """Prepare the change that saves a checked document: an update where the caller can see the record."""
    if stored is None:
        refuse_stale_insert(sent.document, terms.expected)
        return await prepare_insertion(call, kind, sent)
    require_expected(stored, terms.expected, sent.document.get("version"))
    if sent.cleared_states:
        own = kind.server_set | allow(call, kind, Action.UPDATE).withheld
        for field in set(sent.cleared_states) - own:
            kind.states[field].check_move(field, stored.get(field), None)
    return await prepare_update(call, kind, stored, sent)


async def delete_by_id(call: Call, kind: RecordType[Any], record_id: str, terms: Terms = PLAIN) -> Json[None]:
    """Remove or archive one record, as its type says (204)."""
    return await settle(
        call,
        kind,
        record_id,
        build_deletion(call, kind, record_id, terms),
        lambda _change: Json(b"", 204),
        terms,
    )


def build_deletion(call: Call, kind: RecordType[Any], record_id: str, terms: Terms = PLAIN) -> Prepare:
    """Return a function that prepares the removal or archiving of a record that the caller can see."""
    allow(call, kind, Action.DELETE)

    async def prepare(stored: Document | None) -> Change:
        return await prepare_deletion(call, kind, require_stored(kind, record_id, stored), terms.expected)

    return prepare


async def restore(call: Call, kind: RecordType[R], record_id: str, terms: Terms = PLAIN) -> Json[R]:
    """Take an archived record back into use; the record as ``save`` answers it.

    Raises ``NotFound``, ``NotArchived``, and what ``save`` raises for a record that is not sound any more.
    """
    allow(call, kind, Action.UPDATE)

    async def prepare(stored: Document | None) -> Change:
        record = require_stored(kind, record_id, stored)
        require_expected(record, terms.expected)
        return await prepare_restoration(call, kind, record)

    return await settle(
        call, kind, record_id, prepare, lambda change: render_saved_record(call, change, terms), terms
    )


def render_saved_record(call: Call, change: Change, terms: Terms) -> Json[Any]:
    """Render the answer to a write: the record as the caller sees it, or only its tag if so requested.

    A caller that may write but not view does not get the record back either.
    """
    kind, document = change.kind, change.after or {}
    headers: dict[str, str] = {}
    if change.before is None and not terms.is_dry_run:
        headers["Location"] = f"{call.service.settings.root_path}{kind.base_path}/id/{document['_id']}"
    status = 201 if change.before is None else 200
    shown = None if terms.is_minimal else as_seen(call, kind, document)
    if shown is None:
        headers |= {"ETag": etag(document)} | (
            {"Preference-Applied": "return=minimal"} if terms.is_minimal else {}
        )
        return Json(b"", 201 if change.before is None else 204, headers)
    return record_json(kind, shown, status=status, headers=headers)


def as_seen(call: Call, kind: RecordType[Any], document: Document) -> Document | None:
    """Return a whole record as the caller may see it, with its action list; None when it may not."""
    try:
        access = allow(call, kind, Action.VIEW)
    except Denied:
        return None
    if not access.admits(document):
        return None
    return without(document, access.hidden) | {"actionList": Actions(call, kind).on(document)}
