"""What a notification says, as far as the owner of the webhook may view it now.

The record is stored as it was written, and shown when it is sent: rights that were taken away in between
hold, and what the owner never could view does not leave the store.
"""

from functools import partial
from typing import Any

from runtime.access.guard import allow
from runtime.access.variables import filter_variables
from runtime.aside import run_long
from runtime.call import Call
from runtime.errors import Denied, NotFound, RequestError
from runtime.filter import (
    EVERYTHING,
    MOST_AT_ONCE,
    Predicate,
    WeighedFilter,
    admits,
    by_id,
    compile_filter,
    name_as_declared,
    show_declared,
    weigh_record,
)
from runtime.model.documents import tenant_of
from runtime.model.field_type import FieldType, ValueKind
from runtime.spelling import widen_numbers
from runtime.storage.access import Access, Action
from runtime.storage.wire import to_json, to_wire
from runtime.system.documents import WebhookDeliveryDocument, WebhookDocument

Document = dict[str, Any]


class FilterFault(Exception):
    """The filter of a webhook does not fit its record type, or what the owner may view of it."""


async def render_payload(
    call: Call, webhook: WebhookDocument, delivery: WebhookDeliveryDocument
) -> bytes | None:
    """Render the body of a notification; None if the owner, whose call it is, is not to be notified.

    Raises ``FilterFault``, and ``StoreUnavailable`` where the store must be asked.
    """
    data: Document = {"id": str(webhook["_id"]), "op": delivery["op"]}
    if delivery["op"] != "test":
        shown = await _find_shown(call, webhook, delivery)
        if shown is None:
            return None
        data = {"id": delivery["recordId"], "op": delivery["op"], "version": delivery["recordVersion"]}
        if not delivery.get("isTrimmed"):
            data["record"] = to_wire(shown)
    return to_json({"type": delivery["type"], "timestamp": delivery["occurredAt"], "data": data})


async def _find_shown(
    call: Call, webhook: WebhookDocument, delivery: WebhookDeliveryDocument
) -> Document | None:
    """Return the record without what is hidden from the owner; None if the owner may not view it.

    It may be stored by an earlier version of the service, with the names and the types of numbers that it
    declares.
    """
    try:
        kind = call.service.catalog[delivery["recordType"]]
        access = allow(call, kind, Action.VIEW)
    except (Denied, NotFound):
        return None
    named = name_as_declared(kind.renamed, delivery["document"])
    document = widen_numbers(FieldType(ValueKind.OBJECT, kind.fields), named)
    if tenant_of(document) != tenant_of(webhook) or not access.domain.admits(document["dataDomain"]):
        return None
    if not await _check_admitted(call, webhook, delivery, document, access):
        return None
    return show_declared(kind.fields, document, access.hidden)


async def _check_admitted(
    call: Call,
    webhook: WebhookDocument,
    delivery: WebhookDeliveryDocument,
    document: Document,
    access: Access,
) -> bool:
    """Whether rules and filter admit the record.

    Of one that was too large only the common fields are stored: where more counts, the store is asked about
    the record as it is now.
    """
    wanted = _compile(call, webhook, access)
    if access.rules is EVERYTHING and wanted is EVERYTHING:
        return True
    if not delivery.get("isTrimmed"):
        decide = partial(_decide, access, wanted, document)
        weight = weigh_record(document)
        takes_long = WeighedFilter.of(access.rules & wanted).estimate_seconds(weight) > MOST_AT_ONCE
        return await run_long(decide) if takes_long else decide()
    return await call.service.store.find_one(access, by_id(delivery["recordId"]) & wanted) is not None


def _decide(access: Access, wanted: Predicate, document: Document) -> bool:
    return access.admits(document) and admits(wanted, document)


def _compile(call: Call, webhook: WebhookDocument, access: Access) -> Predicate:
    """Compile the filter with what the owner may view: by a field that is hidden it would tell its value."""
    text, kind = webhook.get("filter"), access.kind
    if text is None:
        return EVERYTHING
    try:
        variables = filter_variables(call, kind)
        return compile_filter(text, kind, variables, for_rule=True, hidden=access.hidden)
    except RequestError as error:
        raise FilterFault(error.message) from None
