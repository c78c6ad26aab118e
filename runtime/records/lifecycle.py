"""What the server makes of a record on its way to the store. Pure: time and caller are passed in.

Server-kept members are replaced whatever a client sent (decisions §1): audit, references, events,
version, action list, fields ``setBy: server``. State fields go through their graph.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from runtime.access import Action
from runtime.errors import ValidationFailed
from runtime.principal import Principal
from runtime.record_type import RecordType
from runtime.wire import to_json

Document = dict[str, Any]

_KEPT = ("auditInfo", "references", "persistentEvents", "version", "actionList")
_CREATION = ("createdBy", "createdDate")
_PLACEHOLDER = re.compile(r"\{([^{}]+)\}")


def new_record(
    kind: RecordType[Any], sent: Document, principal: Principal, now: datetime, record_id: Any
) -> Document:
    """A document to insert, from what a caller sent, its references resolved: they name it.

    ``now`` is naive UTC in milliseconds.
    """
    record = _without_server_kept(kind, sent)
    record["_id"] = record_id
    record.setdefault("refName", str(record_id))
    record.setdefault("activeStatus", "ACTIVE")
    record["dataDomain"] = _own_domain(principal) | record.get("dataDomain", {})
    for field, graph in kind.states.items():
        record[field] = graph.start(field, record.get(field))
    record["version"] = 1
    record["auditInfo"] = {"createdBy": principal.user_id, "createdDate": now} | _stamp(principal, now)
    _add_event(kind, record, {}, principal, now)
    record.setdefault("displayName", display_name(kind, record))
    return record


def replacement(
    kind: RecordType[Any], stored: Document, sent: Document, principal: Principal, now: datetime
) -> Document:
    """A document to replace ``stored`` with, from what a caller sent, its references resolved."""
    record = _without_server_kept(kind, sent)
    record["_id"] = stored["_id"]
    record.setdefault("refName", stored["refName"])
    record.setdefault("activeStatus", stored.get("activeStatus", "ACTIVE"))
    record["dataDomain"] = stored.get("dataDomain", {}) | record.get("dataDomain", {})
    _move_states(kind, stored, record)
    _refuse_changes(kind, stored, record)
    for field in (*kind.server_set, "references"):
        if field in stored:
            record[field] = stored[field]
    record["version"] = stored["version"] + 1
    record["auditInfo"] = _creation(stored) | _stamp(principal, now)
    _add_event(kind, record, stored, principal, now)
    if _display_is_automatic(kind, stored, record):
        record["displayName"] = display_name(kind, record)
    return record


def action_list(kind: RecordType[Any], document: Document, allowed: Iterable[Action]) -> list[str]:
    """The actions a caller may take on this record: those allowed, and each open transition."""
    actions = [str(action) for action in allowed if action is not Action.CREATE]
    if Action.UPDATE in actions:
        for field, graph in kind.states.items():
            actions += [f"transition:{state}" for state in graph.next_states(document.get(field))]
    return actions


def display_name(kind: RecordType[Any], document: Mapping[str, Any]) -> str:
    """The display template filled in, or the refName when there is none or nothing in it is known."""
    ref_name = str(document["refName"])
    if kind.display is None:
        return ref_name
    texts = {path: _text_at(document, path) for path in _PLACEHOLDER.findall(kind.display)}
    if texts and not any(texts.values()):
        return ref_name
    shown = _PLACEHOLDER.sub(lambda match: texts[match[1]], kind.display).strip()
    return shown[:500] or ref_name


def _text_at(document: Mapping[str, Any], path: str) -> str:
    """A scalar as on the wire; nothing for what is absent, a list or an object."""
    value: Any = document
    for step in path.split("."):
        value = value.get(step) if isinstance(value, Mapping) else None
    if value is None or isinstance(value, Mapping | list):
        return ""
    return value if isinstance(value, str) else to_json(value).decode().strip('"')


def _without_server_kept(kind: RecordType[Any], sent: Document) -> Document:
    dropped = kind.server_set.union(_KEPT)
    return {name: value for name, value in sent.items() if name not in dropped}


def _own_domain(principal: Principal) -> Document:
    own = principal.domain
    domain = {
        "tenantId": own.tenant_id,
        "orgRefName": own.org_ref_name,
        "accountId": own.account_id,
        "ownerId": principal.user_id,
        "dataSegment": own.data_segment or 0,
    }
    return {name: value for name, value in domain.items() if value is not None}


def _stamp(principal: Principal, now: datetime) -> Document:
    stamp = {"lastUpdatedBy": principal.user_id, "lastUpdatedDate": now}
    if principal.impersonator is not None:
        stamp |= {
            "impersonatorUserId": principal.impersonator.user_id,
            "impersonatorSubject": principal.impersonator.subject,
        }
    return stamp


def _creation(stored: Document) -> Document:
    """Who made the record. Whose name the last write was in is told anew by each write."""
    return {name: value for name, value in stored.get("auditInfo", {}).items() if name in _CREATION}


def _add_event(
    kind: RecordType[Any], record: Document, stored: Document, principal: Principal, now: datetime
) -> None:
    if kind.persistent_events:
        event = {"type": "PERSIST", "date": now, "userId": principal.user_id, "version": record["version"]}
        record["persistentEvents"] = [*stored.get("persistentEvents", []), event]


def _move_states(kind: RecordType[Any], stored: Document, record: Document) -> None:
    for field, graph in kind.states.items():
        if field not in record and field in stored:
            record[field] = stored[field]
        graph.check_move(field, stored.get(field), record.get(field))


def _refuse_changes(kind: RecordType[Any], stored: Document, record: Document) -> None:
    changed = [
        field
        for field in sorted(kind.immutable)
        if field in stored and _essence(kind, field, record) != _essence(kind, field, stored)
    ]
    if changed:
        raise ValidationFailed(
            f"{', '.join(changed)} cannot change once set",
            violations=[{"path": field, "message": "cannot change once set"} for field in changed],
        )


def _essence(kind: RecordType[Any], field: str, document: Document) -> Any:
    """What must not change. The names in a reference are copies, and follow their record."""
    value = document.get(field)
    return value["entityId"] if value is not None and kind.fields[field].is_reference else value


def _display_is_automatic(kind: RecordType[Any], stored: Document, record: Document) -> bool:
    """A caller that sends back the automatic name it read did not choose it."""
    sent = record.get("displayName")
    if sent is None:
        return True
    return bool(sent == stored.get("displayName") == display_name(kind, stored))
