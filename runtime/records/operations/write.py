"""The routes that write one record: save (insert or full replace), delete and restore.

``save`` and ``_save_once`` are the flow to read first: parse → read stored → authorize, build and check →
render and store. A function that ends in ``_once`` is one attempt: it runs again while others change the
record first (``runtime.records.settle``).
"""

from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any, TypeVar

from pydantic_core import to_json as to_json_text

from runtime.access.guard import allow, find_access
from runtime.aside import run_aside
from runtime.call import Call
from runtime.model.record import Record, RecordInput
from runtime.model.record_type import RecordType
from runtime.records.attempt import Attempt, Writing
from runtime.records.change import (
    Change,
    prepare_deletion,
    prepare_insertion,
    prepare_restoration,
    prepare_update,
)
from runtime.records.commit import find_companions
from runtime.records.document.lenient import read_input
from runtime.records.document.sent import Sent, read_sent
from runtime.records.document.terms import PLAIN, Terms, require_version
from runtime.records.document.withheld import unnamed_members, unseen_fields
from runtime.records.operations.actions import Actions
from runtime.records.settle import settle
from runtime.storage.access import Action
from runtime.storage.wire import Json, etag, record_json, without

A = TypeVar("A")
R = TypeVar("R", bound=Record)
Document = dict[str, Any]
Render = Callable[[Change], A]


async def save(call: Call, kind: RecordType[R], body: RecordInput, terms: Terms = PLAIN) -> Json[R]:
    """Insert (201, ``Location``) or replace (200) one record.

    An id outside the caller's scope is treated as absent: the record is inserted under an id of the server.
    Raises ``VersionConflict``, ``PreconditionFailed``, ``Duplicate``, ``ValidationFailed``,
    ``InvalidStateTransition``, ``MissingReference``, ``Denied``.
    """
    sent = await run_aside(partial(read_sent, kind, body))
    return await save_sent(call, kind, sent, partial(render_saved_record, call, terms), terms)


def read_entity(call: Call, kind: RecordType[Any], record: Mapping[str, Any]) -> Sent:
    """Read a record that is a member of a body, with the checks of a record that is sent on its own."""
    # As it was sent: a number too long or not finite is refused by the record's class, not lost here.
    text = to_json_text(record, inf_nan_mode="constants")
    unnamed = partial(unnamed_members, call, kind)
    return read_sent(kind, read_input(kind, text, unseen_fields(call, kind), unnamed))


async def insert_under(
    call: Call, kind: RecordType[Any], values: Mapping[str, Any], record_id: Any
) -> Document:
    """Insert a record under an id that the service has chosen; return it as it is stored.

    Raises ``Duplicate`` if there is a record with this id, and what ``save`` raises.
    """
    sent = read_entity(call, kind, values)._replace(new_id=record_id)
    return await save_sent(call, kind, sent, lambda change: change.after or {}, PLAIN)


async def save_sent(call: Call, kind: RecordType[Any], sent: Sent, render: Render[A], terms: Terms) -> A:
    """Save a checked document, and return what ``render`` makes of the change."""
    return await settle(Writing(call, kind, sent.record_id, terms), partial(_save_once, sent, render))


async def _save_once(sent: Sent, render: Render[A], attempt: Attempt) -> A:
    call, kind = attempt.call, attempt.kind
    stored = await attempt.read_stored()
    require_version(stored, attempt.terms, sent.version)
    if stored is None:
        change = await prepare_insertion(call, kind, sent)
    else:
        if sent.cleared_states:
            own = kind.server_set | allow(call, kind, Action.UPDATE).withheld
            require_clearable_states(kind, stored, set(sent.cleared_states) - own)
        change = await prepare_update(call, kind, stored, sent)
    return await attempt.commit(change, render)


def require_clearable_states(kind: RecordType[Any], stored: Document, cleared: Collection[str]) -> None:
    """Raise ``InvalidStateTransition`` for a state field that was sent as null."""
    for field in kind.states.keys() & set(cleared):
        kind.states[field].check_move(field, stored.get(field), None)


async def delete_by_id(call: Call, kind: RecordType[Any], record_id: str, terms: Terms = PLAIN) -> Json[None]:
    """Remove or archive one record, as its type says (204)."""
    return await delete_named(call, kind, record_id, lambda _change: Json(b"", 204), terms)


async def delete_named(
    call: Call, kind: RecordType[Any], record_id: str, render: Render[A], terms: Terms
) -> A:
    """Remove or archive the record with this id, and return what ``render`` makes of the change."""
    allow(call, kind, Action.DELETE)
    return await settle(Writing(call, kind, record_id, terms), partial(_delete_once, render))


async def _delete_once(render: Render[A], attempt: Attempt) -> A:
    stored, terms = await attempt.read_existing(), attempt.terms
    require_version(stored, terms)
    is_bound = terms.expected is not None or terms.unless is not None
    if await find_companions(attempt.call, attempt.kind):  # they are to see the record as it goes
        is_bound = True
    change = await prepare_deletion(attempt.call, attempt.kind, stored, is_bound=is_bound)
    return await attempt.commit(change, render)


async def restore(call: Call, kind: RecordType[R], record_id: str, terms: Terms = PLAIN) -> Json[R]:
    """Take an archived record back into use; the record as ``save`` answers it.

    Raises ``NotFound``, ``NotArchived``, and what ``save`` raises for a record that is not sound any more.
    """
    allow(call, kind, Action.UPDATE)
    render = partial(render_saved_record, call, terms)
    return await settle(Writing(call, kind, record_id, terms), partial(_restore_once, render))


async def _restore_once(render: Render[A], attempt: Attempt) -> A:
    stored = await attempt.read_existing()
    require_version(stored, attempt.terms)
    change = await prepare_restoration(attempt.call, attempt.kind, stored)
    return await attempt.commit(change, render)


def locate_stored(call: Call, kind: RecordType[Any], document: Document) -> str:
    """Return where a stored record is read, for ``Location``."""
    return f"{call.service.settings.root_path}{kind.base_path}/id/{document['_id']}"


def render_saved_record(call: Call, terms: Terms, change: Change) -> Json[Any]:
    """Render the answer to a write: the record as the caller sees it, or only its tag if so requested.

    A caller that may write but not view does not get the record back either.
    """
    kind, document = change.kind, change.after or {}
    headers: dict[str, str] = {}
    if change.before is None and not terms.is_dry_run:
        headers["Location"] = locate_stored(call, kind, document)
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
    access = find_access(call, kind, Action.VIEW)
    if access is None or not access.admits(document):
        return None
    return without(document, access.hidden) | {"actionList": Actions.of(call, kind).on(document)}
