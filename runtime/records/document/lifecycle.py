"""What the server changes in a record on its way to the store. Pure: time and caller are passed in.

Server-kept members are replaced whatever a client sent: audit, references, events, version, action list,
fields ``setBy: server``. State fields go through their graph.
"""

from collections.abc import Mapping, Sequence, Set
from copy import deepcopy
from datetime import datetime
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final

from runtime.errors import ValidationFailed
from runtime.model.mappings import without_nones
from runtime.model.record_type import RecordType
from runtime.principal import Principal, domain_members
from runtime.records.document.template import fill_template, tops
from runtime.records.document.terms import read_version
from runtime.storage.codec import encode_document

Document = dict[str, Any]

MOST_EVENTS: Final = 100
"""The newest events that a record keeps: a record that is written for years must neither become slow nor
reach the largest document. The history of an audited type has them all."""

_KEPT = ("auditInfo", "references", "persistentEvents", "version", "actionList")
_OF_EVERY_RECORD = ("refName", "version", "dataDomain")
_CREATION = ("createdBy", "createdDate")
_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


def build_record(
    kind: RecordType[Any], sent: Document, principal: Principal, now: datetime, record_id: Any
) -> Document:
    """Build the document to insert from what a caller sent, with its references resolved.

    It has no display name yet. ``now`` is naive UTC in milliseconds.
    """
    record = _drop_server_kept(kind, sent) | deepcopy(_defaults(kind))
    record["_id"] = record_id
    record.setdefault("refName", str(record_id))
    record.setdefault("activeStatus", "ACTIVE")
    record["dataDomain"] = principal.domain.new_data_domain(principal.user_id) | record.get("dataDomain", {})
    for field, graph in kind.states.items():
        record[field] = graph.start(field, record.get(field))
    record["version"] = 1
    record["auditInfo"] = {"createdBy": principal.user_id, "createdDate": now} | _stamp(principal, now)
    _add_event(kind, record, {}, principal, now)
    return record


def build_replacement(
    kind: RecordType[Any], stored: Document, sent: Document, principal: Principal, now: datetime
) -> Document:
    """Build the document that replaces ``stored``, from what a caller sent, with its references resolved.

    It has the display name that was sent, if any. Raises ``ValidationFailed`` also for a record that another
    tool has put into the store without the members that every record has.
    """
    if missing := next((name for name in _OF_EVERY_RECORD if stored.get(name) is None), None):
        raise ValidationFailed.at(missing, "is missing in the stored record: add it in the store first")
    record = _drop_server_kept(kind, sent)
    record["_id"] = stored["_id"]
    record.setdefault("refName", stored["refName"])
    record.setdefault("activeStatus", stored.get("activeStatus", "ACTIVE"))
    domain, given = stored["dataDomain"], record.get("dataDomain", {})
    record["dataDomain"] = domain if given is domain else _move(domain, given, principal)
    _move_states(kind, stored, record)
    _refuse_changes(kind, stored, record)
    for field in kind.server_set:
        if field in stored:
            record[field] = stored[field]
    if "references" in stored:
        record["references"] = stored["references"]
    record["version"] = read_version(stored) + 1
    record["auditInfo"] = _creation(stored) | _stamp(principal, now)
    _add_event(kind, record, stored, principal, now)
    return record


def set_display_name(
    kind: RecordType[Any], record: Document, stored: Document | None, named: Mapping[str, Any] = _NOTHING
) -> None:
    """Name a document that is otherwise complete, in place, unless its caller chose a name.

    ``named``: references as the caller sent them, with the names that it had read (``Sent.named``).
    """
    if stored and _is_shown_alike(kind, stored, record):
        return
    if "displayName" not in record or (stored and _display_is_automatic(kind, stored, record, named)):
        record["displayName"] = render_display_name(kind, record)


def archive_document(
    kind: RecordType[Any], stored: Document, principal: Principal, now: datetime
) -> Document:
    """Return an archived record: left out of lists, still stored."""
    record = stored | {"activeStatus": "ARCHIVED", "version": read_version(stored) + 1}
    record["auditInfo"] = _creation(stored) | _stamp(principal, now)
    _add_event(kind, record, stored, principal, now)
    return record


def next_states(
    kind: RecordType[Any], document: Document, hidden: Set[str] = frozenset()
) -> dict[str, tuple[str, ...]]:
    """Return where a record may go from here, by state field, without fields hidden from the caller."""
    return {
        field: graph.next_states(document.get(field))
        for field, graph in kind.states.items()
        if field not in hidden
    }


def render_display_name(kind: RecordType[Any], document: Mapping[str, Any]) -> str:
    """Fill in the display template.

    Return the refName when the type has none, or when nothing in it is known.
    """
    shown = fill_template(kind.display, document) if kind.display is not None else ""
    return shown[:500] or str(document["refName"])


def _drop_server_kept(kind: RecordType[Any], sent: Document) -> Document:
    dropped = _server_kept(kind)
    if dropped.isdisjoint(sent):
        return dict(sent)
    return {name: value for name, value in sent.items() if name not in dropped}


@lru_cache(maxsize=1024)
def _server_kept(kind: RecordType[Any]) -> frozenset[str]:
    return kind.server_set.union(_KEPT)


@lru_cache(maxsize=1024)
def _defaults(kind: RecordType[Any]) -> Document:
    """Return the defaults of the fields that callers cannot set; copy them for each record."""
    defaults = encode_document(kind, (kind.stored or kind.input).model_construct())
    return {name: value for name, value in defaults.items() if name in kind.server_set}


def _move(domain: Document, given: Document, principal: Principal) -> Document:
    """Return a data domain with what is given; None resets a member to what the caller is bound to."""
    bound = domain_members(principal.scope)
    bound["dataSegment"] = bound["dataSegment"] or 0
    reset = {name: bound[name] for name, value in given.items() if value is None}
    return without_nones(domain | given | reset)


def _stamp(principal: Principal, now: datetime) -> Document:
    stamp = {"lastUpdatedBy": principal.user_id, "lastUpdatedDate": now}
    return stamp | acting if (acting := principal.actors) else stamp


def _creation(stored: Document) -> Document:
    """Return the creation stamp; the last-update stamp is rewritten on every write."""
    audit = stored.get("auditInfo") or {}
    return {name: audit[name] for name in _CREATION if name in audit}


def _add_event(
    kind: RecordType[Any], record: Document, stored: Document, principal: Principal, now: datetime
) -> None:
    if kind.persistent_events:
        event = {"type": "PERSIST", "date": now, "userId": principal.user_id, "version": record["version"]}
        record["persistentEvents"] = [*stored.get("persistentEvents", []), event][-MOST_EVENTS:]


def _move_states(kind: RecordType[Any], stored: Document, record: Document) -> None:
    for field, graph in kind.states.items():
        if field not in record and field in stored:
            record[field] = stored[field]
        graph.check_move(field, stored.get(field), record.get(field))


def _refuse_changes(kind: RecordType[Any], stored: Document, record: Document) -> None:
    if not kind.immutable:
        return
    changed = [
        field
        for field in sorted(kind.immutable)
        if field in stored
        and record.get(field) is not stored[field]
        and _essence(kind, field, record) != _essence(kind, field, stored)
    ]
    if changed:
        raise ValidationFailed(
            f"{', '.join(changed)} cannot change once set",
            violations=[{"path": field, "message": "cannot change once set"} for field in changed],
        )


def _essence(kind: RecordType[Any], field: str, document: Document) -> Any:
    """Return the part of an immutable field that must not change.

    The names in a reference are copies, and follow their record.
    """
    value = document.get(field)
    return value["entityId"] if value is not None and kind.fields[field].is_reference else value


def _is_shown_alike(kind: RecordType[Any], stored: Document, record: Document) -> bool:
    """Return whether neither the name nor what it may be made of has changed."""
    for name in _shown_from(kind):
        if record.get(name) is not stored.get(name):
            return False
    return "displayName" in record


@lru_cache(maxsize=1024)
def _shown_from(kind: RecordType[Any]) -> Sequence[str]:
    return ["displayName", "refName", *(sorted(tops(kind.display)) if kind.display else ())]


def _display_is_automatic(
    kind: RecordType[Any], stored: Document, record: Document, named: Mapping[str, Any]
) -> bool:
    """Return whether the display name is automatic.

    A caller that sends back the automatic name it read did not choose it, also where names in references have
    changed since, which does not raise the version.
    """
    shown = record["displayName"]
    if shown == stored.get("displayName"):
        return bool(shown == render_display_name(kind, stored))
    return bool(named) and bool(shown == render_display_name(kind, {**stored, **named}))
