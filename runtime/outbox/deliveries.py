"""Deliveries as they are stored."""

from datetime import timedelta
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from runtime.call import Call
from runtime.model.clock import now
from runtime.model.documents import DataDomainDocument
from runtime.model.record_type import RecordType
from runtime.outbox.table import Hook
from runtime.records.change import Change, Document
from runtime.settings import Settings
from runtime.storage.own_documents import complete_note
from runtime.storage.wire import create_id, to_json, without
from runtime.system.documents import WebhookDeliveryDocument

Op: TypeAlias = Literal["created", "updated", "deleted", "test"]

_LAST: Final = 2**53
"""The place of a deletion in the line of its record: nothing comes after it, since ids do not come back."""

_COMMON: Final = frozenset({"_id", "refName", "displayName", "dataDomain", "activeStatus", "version"})
"""What is stored of a record that is too large."""


class Written(NamedTuple):
    """A write to be notified: ``document`` as it is after it, or was before a deletion."""

    op: Op
    version: int
    document: Document


def describe_write(change: Change) -> Written | None:
    """Describe what a change does to its record; None for one that does nothing."""
    if change.after is not None:
        op: Op = "created" if change.before is None else "updated"
        return Written(op, change.after["version"], change.after)
    if change.before is not None:
        return Written("deleted", change.before["version"] + 1, change.before)
    return None


def build_delivery(
    call: Call, settings: Settings, hook: Hook, kind: RecordType[Any], written: Written
) -> WebhookDeliveryDocument:
    """Build the delivery of a write to one webhook."""
    document = without(written.document, kind.hidden)
    record_id = str(document["_id"])
    fields: WebhookDeliveryDocument = {
        "webhookId": hook.webhook_id,
        "line": f"{hook.webhook_id} {kind.name} {record_id}",
        "sequence": _LAST if written.op == "deleted" else written.version,
        "type": f"{kind.domain}.{written.op}",
        "recordType": kind.name,
        "recordId": record_id,
        "op": written.op,
        "recordVersion": written.version,
        "document": document,
    }
    if len(to_json(document)) > settings.webhook_bytes:
        fields["document"] = {name: value for name, value in document.items() if name in _COMMON}
        fields["isTrimmed"] = True
    return complete_delivery(call, settings, fields, hook.tenant, hook.owner_id)


def build_test(
    call: Call, settings: Settings, webhook_id: str, tenant: str, owner_id: str
) -> WebhookDeliveryDocument:
    """Build a delivery that tests a webhook: it is about no record, and alone in its line."""
    fields: WebhookDeliveryDocument = {
        "webhookId": webhook_id,
        "line": f"{webhook_id} test {create_id()}",
        "sequence": 1,
        "type": "webhook.test",
        "op": "test",
    }
    return complete_delivery(call, settings, fields, tenant, owner_id)


def complete_delivery(
    call: Call, settings: Settings, fields: WebhookDeliveryDocument, tenant: str, owner_id: str
) -> WebhookDeliveryDocument:
    """Complete a delivery that is due at once, in the tenant of its webhook."""
    at = now()
    waiting: WebhookDeliveryDocument = {
        "occurredAt": at,
        "status": "WAITING",
        "dueAt": at,
        "holder": "",
        "isBlocked": False,
        "attempts": 0,
        "giveUpAt": at + timedelta(hours=settings.webhook_hours),
    }
    domain: DataDomainDocument = {"tenantId": tenant, "ownerId": owner_id, "dataSegment": 0}
    whole: WebhookDeliveryDocument = {**fields, **waiting}
    return complete_note(whole, call.principal, at, display_name=fields["type"], domain=domain)
