"""The history of audited records: a revision for each write, stored in the same transaction.

A revision belongs to the data domain of its record, so a caller that may not see the record does not see it
either. Its refName names the record and the version: two writes cannot claim the same one.
"""

from collections.abc import Sequence
from typing import Any, Final, cast

from runtime.access.guard import allow
from runtime.call import Call
from runtime.contract.history import HistoryParameters, RecordHistory, RevisionAction
from runtime.filter import EVERYTHING, Predicate, by_id, equals
from runtime.model.clock import now
from runtime.model.problems import no_record
from runtime.model.record_type import RecordType
from runtime.principal import ADMINISTRATORS
from runtime.records.change import Change
from runtime.records.document.page_size import page_limit, too_large
from runtime.records.document.terms import read_version
from runtime.records.effects.diff import difference, show_entry
from runtime.storage.access import Access, Action
from runtime.storage.as_service import as_service
from runtime.storage.own_documents import complete_note
from runtime.storage.store import Transaction
from runtime.storage.wire import Json, to_json
from runtime.system.documents import RevisionDocument
from runtime.system.record_types import REVISION

Document = dict[str, Any]

_NEWEST_FIRST: Final = (("recordVersion", -1), ("_id", -1))
_COPIED: Final = (
    "userId", "subject", "impersonatorUserId", "impersonatorSubject",
    "actingOnBehalfOfUserId", "actingOnBehalfOfSubject", "agentRefName", "requestId", "changes", "omitted",
)  # fmt: skip


def build_revisions(call: Call, changes: Sequence[Change]) -> list[RevisionDocument]:
    """Build the revisions of changes of audited records."""
    return [_build_revision(call, change) for change in changes if change.kind.audited]


async def keep_revisions(call: Call, transaction: Transaction, documents: Sequence[RevisionDocument]) -> None:
    """Store them in the transaction of their changes."""
    if not documents:
        return
    access = as_service(REVISION, call.database, Action.CREATE)
    for error in (await transaction.insert_many(access, documents)).values():
        raise error


async def get_history(
    call: Call, kind: RecordType[Any], record_id: str, query: HistoryParameters
) -> Json[RecordHistory]:
    """List the revisions of one record, newest first, without the fields withheld from the caller.

    A caller that may see the record may see its history. The history of a removed record is for
    administrators, within their scope, unless rules look at records: the record they would look at is gone.
    Raises ``NotFound``.
    """
    access = allow(call, kind, Action.VIEW)
    own = as_service(REVISION, call.database, Action.VIEW, access.domain)
    past = equals(recordType=kind.name, recordId=record_id)
    is_there = await call.store.count(access, by_id(record_id), most=1) == 1
    if not is_there and not await _check_removed(call, access, own, past):
        raise no_record(kind.shown_name, record_id)
    limit = page_limit(call, query.limit)
    rows, is_cut = await call.store.find_page(own, [past], order=_NEWEST_FIRST, skip=query.skip, limit=limit)
    if is_cut:
        raise too_large(len(rows))
    if not rows and await call.store.count(own, past, most=1) == 0:
        raise no_record(kind.shown_name, record_id)
    page: Document = {
        "offset": query.skip,
        "limit": limit,
        "rows": [_render_row(row, access) for row in rows],
        "rowCount": len(rows),
    }
    if query.count != "none":
        page["totalCount"] = await call.store.count(own, past)
    return Json(to_json(page))


async def _check_removed(call: Call, access: Access, own: Access[RevisionDocument], past: Predicate) -> bool:
    """Return whether the caller, an administrator, may know that the record was removed.

    Its last revision within the scope decides. Looking for the record anywhere would distinguish others'
    records from absent ones by the time it takes, and one that was moved away was not removed.
    """
    if access.rules is not EVERYTHING or call.principal.roles.isdisjoint(ADMINISTRATORS):
        return False
    last = await call.store.find(own, past, order=_NEWEST_FIRST, limit=1)
    return bool(last) and last[0]["action"] == "DELETE"


def _build_revision(call: Call, change: Change) -> RevisionDocument:
    before, after = change.before, change.after
    record = after or before or {}
    version = record["version"] if after else read_version(record) + 1
    date = after["auditInfo"]["lastUpdatedDate"] if after else now()
    ref_name = f"{change.kind.name}:{record['_id']}:{version}"
    emptied = change.kind.hidden - change.keep if before and after else frozenset[str]()
    principal = call.principal
    document: RevisionDocument = {
        "recordType": change.kind.name,
        "recordId": str(record["_id"]),
        "recordVersion": version,
        "action": _action(before, after),
        "writtenAt": date,
        "userId": principal.user_id,
        "subject": principal.subject,
        "requestId": call.request_id,
        **difference(before, after, change.kind.hidden, emptied),
    }
    document = cast(RevisionDocument, {**principal.actors, **document})
    return complete_note(document, principal, date, ref_name=ref_name, domain=record["dataDomain"])


def _action(before: Document | None, after: Document | None) -> RevisionAction:
    if before is None:
        return "CREATE"
    if after is None:
        return "DELETE"
    was, is_now = (one.get("activeStatus") == "ARCHIVED" for one in (before, after))
    if was is is_now:
        return "UPDATE"
    return "ARCHIVE" if is_now else "RESTORE"


def _render_row(revision: RevisionDocument, access: Access) -> Document:
    copied = {name: value for name, value in revision.items() if name in _COPIED}
    seen = (show_entry(entry, access.kind, access.withheld) for entry in revision["changes"])
    shown = {entry["path"]: entry for entry in seen if entry}
    head = {
        "version": revision["recordVersion"],
        "action": revision["action"],
        "date": revision["writtenAt"],
    }
    return {**head, **copied, "changes": [*shown.values()]}
