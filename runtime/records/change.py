"""One write of one record, decided and checked but not stored yet.

Whatever the route (save, partial update, bulk, import, restore), a write becomes a ``Change``: from the
stored record to the new one. The rules decide on both. Withheld fields keep their stored value whatever was
sent; the store itself keeps those that the record type hides.
"""

from collections.abc import Callable, Iterable, Mapping, Set
from copy import deepcopy
from datetime import datetime
from types import MappingProxyType
from typing import Any, NamedTuple

from runtime.access.guard import allow, build_refusal
from runtime.access.variables import filter_variables
from runtime.call import Call
from runtime.errors import Denied, NotArchived
from runtime.model.clock import now
from runtime.model.problems import Violation, invalid
from runtime.model.record_type import RecordType
from runtime.records.blind import (
    find_unasked,
    refuse_blind_change,
    refuse_blind_insert,
    refuse_blind_names,
)
from runtime.records.document import constraints
from runtime.records.document.calculated import calculate
from runtime.records.document.constraints import require_sound
from runtime.records.document.lifecycle import (
    archive_document,
    build_record,
    build_replacement,
    set_display_name,
)
from runtime.records.document.merge import merge
from runtime.records.document.names_together import keep_names_together
from runtime.records.document.sent import Sent
from runtime.records.document.withheld import as_if_not_sent, find_missing, refuse_torn
from runtime.records.references import Found, find_reach, resolve_references
from runtime.storage.access import Access, Action
from runtime.storage.store import Replacement
from runtime.storage.wire import create_id, put_back

Document = dict[str, Any]


class Change(NamedTuple):
    """A write from a stored record to a new one.

    ``before`` is None for an insert, ``after`` for a removal. ``keep``: hidden fields whose stored value
    stays where ``after`` lacks them. ``is_bound``: the stored version must be that of ``before``. ``resent``:
    members that are sent although they did not change.
    """

    kind: RecordType[Any]
    access: Access
    before: Document | None
    after: Document | None
    keep: frozenset[str] = frozenset()
    is_bound: bool = True
    resent: frozenset[str] = frozenset()

    @property
    def is_none(self) -> bool:
        """Whether the record stays as it is stored, with its version."""
        return self.after is not None and self.after is self.before

    @property
    def known(self) -> Document | None:
        """What need not be sent, since it is stored."""
        if self.before is None or not self.resent:
            return self.before
        return {name: value for name, value in self.before.items() if name not in self.resent}

    @property
    def replacement(self) -> Replacement | None:
        """What replaces the stored record, if that is still as it was read; None of a new or removed one."""
        if self.before is None or self.after is None:
            return None
        return Replacement(self.after, self.before["version"], self.keep, self.known)


class Outdated(Exception):
    """The record changed since it was read; build the change again."""


async def prepare_insertion(call: Call, kind: RecordType[Any], sent: Sent) -> Change:
    """Prepare a new record from what a caller sent, under an id of the server."""
    allow(call, kind, Action.CREATE)
    await resolve_references(call, kind, sent.document, reach=find_reach(call, sent.document))
    return await prepare_resolved_insertion(call, kind, sent)


async def prepare_resolved_insertion(call: Call, kind: RecordType[Any], sent: Sent) -> Change:
    """Prepare a new record from what a caller sent, with its references already resolved."""
    access = allow(call, kind, Action.CREATE)
    if sent.missing and not kind.lenient:
        raise invalid([*sent.missing])
    given = as_if_not_sent(kind, sent.document, access.put_back)
    document = build_record(kind, given, call.principal, now(), sent.new_id or create_id())
    document |= sent.stamps
    if withheld := access.withheld:
        refuse_blind_names(kind, withheld, document)
    _complete(call, access, document, None, [*sent.violations, *sent.missing])
    if withheld:
        refuse_blind_insert(kind, withheld, document)
    await _check(call, access, document)
    return Change(kind, access, None, document)


async def prepare_update(
    call: Call,
    kind: RecordType[Any],
    stored: Document,
    sent: Sent,
    moment: datetime | None = None,
    promised: Found | None = None,
) -> Change:
    """Prepare the replacement of a stored record by what a caller sent.

    ``moment``: the time of the write, the same for all that go together (default now). ``promised``: records
    that will be stored before this one, and count as found. A caller that archives a record this way also
    needs the permission to delete it.
    """
    access = _allow_on(call, kind, Action.UPDATE, stored)
    given = sent.document
    if withheld := access.put_back:
        refuse_torn(given, stored, withheld)
        given = put_back(given, stored, withheld)
    if is_moved(given, stored):  # its references are read again, and filled in in their places
        # Only those that are new must lead into its new tenant.
        await resolve_references(call, kind, deepcopy(given), stored, reach=find_reach(call, given))
        given = deepcopy(given)
        await resolve_references(call, kind, given)
    elif kind.references:
        reach = find_reach(call, given, stored)
        await resolve_references(call, kind, given, stored, promised or {}, reach)
    document = build_replacement(kind, stored, given, call.principal, moment or now())
    document |= sent.stamps
    if access.withheld:
        refuse_blind_change(kind, access.withheld, stored, document)
    wrong = [*sent.violations, *find_missing(kind, given, stored, sent.missing)]
    _complete(call, access, document, stored, wrong, sent.named)
    resent = keep_names_together(kind, document, stored)
    await _check(call, access, document)
    if kind.on_delete == "archive" and _is_archived(document) and not _is_archived(stored):
        _allow_on(call, kind, Action.DELETE, stored)
    return Change(
        kind, access, stored, document, _list_untouched(kind, document, sent.emptied), resent=resent
    )


async def prepare_restoration(call: Call, kind: RecordType[Any], stored: Document) -> Change:
    """Prepare an archived record for use again; it must satisfy the rules of today first.

    Raises ``NotArchived``.
    """
    _allow_on(call, kind, Action.UPDATE, stored)
    if not _is_archived(stored):
        status = stored.get("activeStatus")
        raise NotArchived(f"this {kind.shown_name} is {status}: only archived ones can be restored")
    change = await prepare_update(call, kind, stored, merge(kind, stored, {"activeStatus": "ACTIVE"}))
    if change.after is None or _is_archived(change.after):  # a rule withholds the status from the caller
        raise build_refusal(call, kind, Action.UPDATE)
    return change


async def prepare_deletion(call: Call, kind: RecordType[Any], stored: Document, *, is_bound: bool) -> Change:
    """Prepare the removal of a stored record, or its archiving where the type says so.

    One that is archived already stays as it is.
    Unless this version alone is to go (``is_bound``), the record is removed whatever changes in the meantime:
    the store checks scope and rules against it again. An audited record is bound to its version, since its
    revision must describe exactly what was removed.
    """
    access = _allow_on(call, kind, Action.DELETE, stored)
    if kind.on_delete == "remove":
        return Change(kind, access, stored, None, is_bound=kind.audited or is_bound)
    is_done = _is_archived(stored)
    after = stored if is_done else archive_document(kind, stored, call.principal, now())
    return Change(kind, access, stored, after, kind.hidden)


def _allow_on(call: Call, kind: RecordType[Any], action: Action, stored: Document) -> Access:
    access = allow(call, kind, action)
    if not access.admits(stored):
        raise build_refusal(call, kind, action, stored, is_stored=True)
    return access


def find_known_violations(
    call: Call, kind: RecordType[Any], action: Action, document: Document, is_known: Callable[[str], bool]
) -> list[Violation]:
    """Return the constraints that an incomplete document breaks, of those that name known fields alone."""
    variables = filter_variables(call, kind, action)
    return constraints.find_known_violations(kind, document, variables, is_known)


def is_moved(given: Document, stored: Document) -> bool:
    """Return whether a record goes to another tenant, which references do not reach into."""
    if given.get("dataDomain") is stored.get("dataDomain"):
        return False
    tenant = stored.get("dataDomain", {}).get("tenantId")
    return bool(given.get("dataDomain", {}).get("tenantId", tenant) != tenant)


def _is_archived(document: Document) -> bool:
    return document.get("activeStatus") == "ARCHIVED"


def _list_untouched(kind: RecordType[Any], document: Document, emptied: Set[str]) -> frozenset[str]:
    """Return the hidden fields that stay as they are stored: not emptied, nor calculated to be nothing."""
    if not kind.hidden:
        return kind.hidden
    return kind.hidden - emptied - {name for name in kind.calculated if name not in document}


def _complete(
    call: Call,
    access: Access,
    document: Document,
    stored: Document | None,
    found: Iterable[Violation],
    named: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Add what the server adds to a new record, and check that the whole of it is sound.

    ``found``: what was wrong with it as it was sent. ``named``: ``Sent.named``.
    """
    kind = access.kind
    wrong = [*found, *calculate(kind, document, call.service.seams.expressions)]
    set_display_name(kind, document, stored, named)
    variables = filter_variables(call, kind, access.action) if kind.constraints else {}
    unasked = () if stored is None else find_unasked(kind, access.withheld, stored, document)
    require_sound(kind, document, wrong, variables, unasked)


async def _check(call: Call, access: Access, document: Document) -> None:
    """Check that the new record is inside the scope, allowed by rules, and meets its constraints."""
    kind = access.kind
    if not access.admits(document):
        if not access.domain.admits(document["dataDomain"]):
            message = f"this {kind.shown_name} would lie outside your data domain"
            raise Denied(message, field="dataDomain")
        raise build_refusal(call, kind, access.action, document)
    if check := call.service.checks.get(kind.name):
        await check(call, document)
