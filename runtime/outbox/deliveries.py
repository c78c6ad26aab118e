"""Deliveries as they are stored."""

from datetime import timedelta
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from runtime.model.clock import now
from runtime.model.documents import DataDomainDocument, tenant_of
from runtime.model.record_type import RecordType
from runtime.outbox.table import Hook
from runtime.records.change import Change, Document
from runtime.records.document.terms import read_version
from runtime.settings import Settings
from runtime.storage.own_documents import complete_document
from runtime.storage.wire import create_id, to_json, without
from runtime.system.documents import WebhookDeliveryDocument, WebhookDocument

Op: TypeAlias = Literal["created", "updated", "deleted", "test"]

_LAST: Final = 2**53
"""The place of a deletion in the line of its record: nothing comes after it, since ids do not come back."""

_COMMON: Final = frozenset({"_id", "dataDomain", "version"})
"""What is stored of a record that is too large: enough to decide whose it is."""


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
        return Written("deleted", read_version(change.before) + 1, change.before)
    return None


def build_delivery(
    settings: Settings, hook: Hook, kind: RecordType[Any], written: Written
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
    return _complete(settings, fields, hook.tenant, hook.owner_id)


def build_test(settings: Settings, webhook: WebhookDocument) -> WebhookDeliveryDocument:
    """Build a delivery that tests a webhook: it is about no record, and alone in its line."""
    webhook_id = str(webhook["_id"])
    fields: WebhookDeliveryDocument = {
        "webhookId": webhook_id,
        "line": f"{webhook_id} test {create_id()}",
        "sequence": 1,
        "type": "webhook.test",
        "op": "test",
    }
    return _complete(settings, fields, tenant_of(webhook), webhook.get("ownerUserId", ""))


def _complete(
    settings: Settings, fields: WebhookDeliveryDocument, tenant: str, owner_id: str
) -> WebhookDeliveryDocument:
    """Complete a delivery that is due at once, in the tenant of its webhook."""
    at, own_id = now(), create_id()
    waiting: WebhookDeliveryDocument = {
        "_id": own_id,
        "occurredAt": at,
        "status": "WAITING",
        "dueAt": at,
        "holder": "",
        "isBlocked": False,
        "attempts": 0,
        "giveUpAt": at + timedelta(hours=settings.webhook_hours),
    }
    domain: DataDomainDocument = {"tenantId": tenant, "ownerId": owner_id}
    whole: WebhookDeliveryDocument = {**fields, **waiting}
    return complete_document(whole, str(own_id), domain, at, display_name=fields["type"])
