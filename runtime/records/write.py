"""Writing records: insert, full replace, delete. Each is decided, checked and stored in that order.

A replace is a check-and-set on the stored version. A caller that named a version (in the body or by
``If-Match``) is told of a conflict; one that did not wants the last write to win, so it is tried again.
Hidden fields are kept inside the store, which never hands them out (decisions §3).
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, TypeVar

from runtime.access import Access, Action
from runtime.call import Call
from runtime.errors import NotFound, PreconditionFailed, VersionConflict
from runtime.filter import by_id, equals
from runtime.record import Record, RecordInput
from runtime.record_type import RecordType
from runtime.records.lifecycle import new_record, replacement
from runtime.records.read import with_actions
from runtime.records.references import resolve_references
from runtime.security.guard import allow
from runtime.store import Changes
from runtime.wire import Json, etag, new_id, record_json, to_document, without

R = TypeVar("R", bound=Record)
Document = dict[str, Any]

_ATTEMPTS = 5


async def save(call: Call, kind: RecordType[R], body: RecordInput, expected: str | None) -> Json[R]:
    """Insert (201, ``Location``) or replace (200) one record; ``expected`` is ``If-Match``.

    An id that the caller cannot see is as good as none: the record is inserted under an id of the
    server, so that absent and forbidden look alike. Raises ``VersionConflict``, ``PreconditionFailed``,
    ``Duplicate``, ``ValidationFailed``, ``InvalidStateTransition``, ``MissingReference``, ``Denied``.
    """
    document, inserted = await save_document(
        call, kind, to_document(kind, body), cleared(kind, body), expected
    )
    shown = with_actions(call, kind, without(document, kind.hidden))
    if not inserted:
        return record_json(kind, shown)
    location = f"{call.service.settings.root_path}{kind.base_path}/id/{document['_id']}"
    return record_json(kind, shown, status=201, headers={"Location": location})


async def save_document(
    call: Call, kind: RecordType[Any], sent: Document, emptied: frozenset[str], expected: str | None
) -> tuple[Document, bool]:
    """The same for a document that was checked already; answers with it as stored and whether it is new."""
    if "_id" in sent:
        for _attempt in range(_ATTEMPTS):
            stored = await stored_record(call, kind, str(sent["_id"]))
            if stored is None:
                break
            replaced = await _replace(call, kind, stored, sent, emptied, expected)
            if replaced is not None:
                return replaced, False
        else:
            raise VersionConflict("the record is changing too fast; read it again and retry")
    refuse_stale_insert(sent, expected)
    await resolve_references(call, kind, sent)
    document = prepare_insert(call, kind, sent)
    await call.service.store.insert(allow(call, kind, Action.CREATE), document)
    return document, True


async def delete_by_id(call: Call, kind: RecordType[Any], record_id: str, expected: str | None) -> Json[None]:
    """Remove or archive one record, as its type says (204). ``expected`` is ``If-Match``."""
    access = allow(call, kind, Action.DELETE)
    store = call.service.store
    match = by_id(record_id)
    stored = await store.find_one(access, match)
    if stored is None:
        raise NotFound(f"no {kind.name} has the id {record_id}")
    if expected is not None:
        _check_precondition(stored, expected)
        match = match & equals(version=stored["version"])
    if kind.on_delete == "archive":
        gone = await store.update_one(access, match, _archiving(call)) is not None
    else:
        gone = await store.delete_one(access, match)
    if not gone:
        raise (
            PreconditionFailed("the record has changed meanwhile")
            if expected
            else NotFound(f"no {kind.name} has the id {record_id}")
        )
    return Json(b"", 204)


async def stored_record(call: Call, kind: RecordType[Any], record_id: str) -> Document | None:
    """The record a save would replace, as far as the caller may see and change it."""
    access = allow(call, kind, Action.VIEW)
    return await call.service.store.find_one(access, by_id(record_id))


def prepare_insert(call: Call, kind: RecordType[Any], sent: Document) -> Document:
    """A new document under a fresh id, decided as CREATE; the references of ``sent`` are resolved."""
    allow(call, kind, Action.CREATE)
    return new_record(kind, sent, call.principal, now(), new_id())


def refuse_stale_insert(sent: Document, expected: str | None) -> None:
    """A caller that expects a stored version must not make a new record by mistake."""
    if expected is not None:
        raise PreconditionFailed("If-Match names a version, but there is no such record")
    if "version" in sent:
        raise VersionConflict(f"version {sent['version']} was sent, but there is no such record")


def cleared(kind: RecordType[Any], body: RecordInput) -> frozenset[str]:
    """Hidden fields sent as null: they are to be emptied; those not sent keep their value."""
    names = {name for name in body.model_fields_set if getattr(body, name) is None}
    aliases = {type(body).model_fields[name].serialization_alias or name for name in names}
    return frozenset(kind.hidden & aliases)


def now() -> datetime:
    """Naive UTC in milliseconds, as the store keeps it."""
    moment = datetime.now(UTC).replace(tzinfo=None)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


async def _replace(
    call: Call,
    kind: RecordType[Any],
    stored: Document,
    sent: Document,
    emptied: frozenset[str],
    expected: str | None,
) -> Document | None:
    """One attempt; None when somebody else was faster and the caller did not name a version."""
    access: Access = allow(call, kind, Action.UPDATE)
    if expected is not None:
        _check_precondition(stored, expected)
    if sent.get("version", stored["version"]) != stored["version"]:
        raise VersionConflict(f"the stored version is {stored['version']}, not {sent['version']}")
    await resolve_references(call, kind, sent)
    document = replacement(kind, stored, sent, call.principal, now())
    match = by_id(str(stored["_id"])) & equals(version=stored["version"])
    if await call.service.store.replace(access, match, document, keep=access.hidden - emptied):
        return document
    if expected is not None:
        raise PreconditionFailed("the record has changed meanwhile")
    if "version" in sent:
        raise VersionConflict("the record has changed meanwhile")
    return None


def _check_precondition(stored: Document, expected: str) -> None:
    tags = {tag.strip() for tag in expected.split(",")}
    if "*" not in tags and etag(stored) not in tags:
        raise PreconditionFailed(f"If-Match names {expected[:80]}, the stored version is {etag(stored)}")


def _archiving(call: Call) -> Changes:
    return Changes(
        set={
            "activeStatus": "ARCHIVED",
            "auditInfo.lastUpdatedBy": call.principal.user_id,
            "auditInfo.lastUpdatedDate": now(),
        },
        increment={"version": 1},
    )
