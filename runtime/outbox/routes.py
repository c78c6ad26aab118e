"""The routes of ``/integration/webhooks`` that are not those of every record type."""

from collections.abc import Collection
from datetime import timedelta
from functools import partial
from typing import Any, Final

from runtime.access.guard import allow, allow_lookup, build_refusal
from runtime.call import Call
from runtime.errors import Denied, NotFound, UnknownMember, VersionConflict
from runtime.filter import by_id, equals
from runtime.logs import log
from runtime.model.clock import now
from runtime.model.problems import no_record
from runtime.outbox.check import require_fitting
from runtime.outbox.effect import send_waiting
from runtime.outbox.opening import open_webhooks
from runtime.outbox.owners import require_covered, require_lasting
from runtime.outbox.signing import create_secret
from runtime.outbox.status import (
    count_waiting,
    describe_delivery,
    read_deliveries,
    renew_delivery,
    store_test,
)
from runtime.records.change import Change
from runtime.records.document.terms import PLAIN, read_version
from runtime.records.operations.write import locate_stored, read_entity, save_sent
from runtime.storage.access import Action
from runtime.storage.own_documents import build_update
from runtime.storage.store import AnyStore
from runtime.storage.wire import Json, to_json
from runtime.system.answers import CreatedWebhookBody, DeliveryListBody, DeliveryStatusBody, WebhookStateBody
from runtime.system.documents import WebhookDocument
from runtime.system.models.new_webhook import NewWebhook
from runtime.system.models.webhook_secret_rotation import WebhookSecretRotation
from runtime.system.record_types import WEBHOOK

_EVENTS: Final = ("created", "updated", "deleted")
_OVERLAP: Final = timedelta(days=1)
"""How long the previous secret signs as well."""


async def create_webhook(call: Call, body: NewWebhook) -> Json[Any]:
    """Create a webhook of the caller, and show its secret.

    Raises ``UnknownMember`` for what is withheld from the caller, and what a save does.
    """
    require_lasting(call)
    caller, secret = call.principal, create_secret()
    if await call.service.clients.find_standing(caller.domain.default_realm, caller.subject) is None:
        raise Denied("only users that this service manages can own webhooks")
    fields = body.model_dump(by_alias=True, exclude_none=True)
    _refuse_withheld(call, fields)
    sent = read_entity(call, WEBHOOK, {"events": _EVENTS, "active": True, **fields})
    stamps: WebhookDocument = {
        "ownerUserId": caller.user_id,
        "ownerSubject": caller.subject,
        "ownerRealm": caller.domain.default_realm,
        "secret": secret,
    }
    return await save_sent(
        call, WEBHOOK, sent._replace(stamps=stamps), partial(_render_created, call, secret), PLAIN
    )


def _refuse_withheld(call: Call, fields: Collection[str]) -> None:
    """Refuse members that a save would leave out: without its filter a webhook is notified of more."""
    withheld = allow(call, WEBHOOK, Action.CREATE).withheld - WEBHOOK.required
    if member := next((name for name in fields if name in withheld), None):
        raise UnknownMember(f"unknown member {member}", member=member)


def _render_created(call: Call, secret: str, change: Change) -> Json[Any]:
    document = change.after or {}
    body: CreatedWebhookBody = {"id": document["_id"], "refName": document["refName"], "secret": secret}
    headers = {"Location": locate_stored(call, WEBHOOK, document)}
    return Json(to_json(body), 201, headers, is_secret=True)


async def rotate_secret(call: Call, body: WebhookSecretRotation, *, id_: str) -> CreatedWebhookBody:
    """POST …/{id}/rotate-secret. Raises ``NotFound``, ``Denied`` and ``VersionConflict``."""
    webhook, secret = await _find_changeable(call, id_), create_secret()
    values: WebhookDocument = {"secret": secret}
    unset: tuple[str, ...] = ("previousSecret", "previousSecretUntil")
    if not body.end_previous:
        values |= {"previousSecret": webhook["secret"], "previousSecretUntil": now() + _OVERLAP}
        unset = ()
    await _change(call, webhook, values, unset)
    log.info("webhook.rotated", webhook=id_, realm=call.realm, **call.principal.writer)
    return {"id": webhook["_id"], "refName": webhook["refName"], "secret": secret}


async def resume(call: Call, *, id_: str) -> WebhookStateBody:
    """POST …/{id}/resume: end the pause, and send what waits. Refuses a filter that does not fit."""
    webhook = await _find_changeable(call, id_)
    if not webhook.get("active") or webhook.get("pausedReason") == "FILTER":  # it would be paused again
        require_fitting(call, webhook)
    await _change(call, webhook, {"active": True}, ("pausedReason", "pausedDate"))
    await send_waiting(call, webhook, call.service.store)
    return {"id": webhook["_id"], "active": True}


async def send_test(call: Call, *, id_: str) -> DeliveryStatusBody:
    """POST …/{id}/test: store a delivery that is about no record."""
    webhook = await _find_changeable(call, id_)
    delivery = await store_test(call.service, call.database, webhook)
    _wake(call)
    return describe_delivery(delivery)


async def list_deliveries(
    call: Call, *, id_: str, status: str | None = None, limit: int | None = None
) -> DeliveryListBody:
    """GET …/{id}/deliveries."""
    webhook = await _find(call, id_)
    store, database = call.service.store, call.database
    rows = await read_deliveries(store, database, webhook, status, limit or 50)
    return {
        "rows": [describe_delivery(row) for row in rows],
        "waiting": await count_waiting(store, database, webhook),
    }


async def repeat_delivery(call: Call, *, id_: str, delivery_id: str) -> DeliveryStatusBody:
    """POST …/{id}/deliveries/{deliveryId}/resend. Raises ``NotFound`` for one that is not dead."""
    webhook = await _find_changeable(call, id_)
    found = await renew_delivery(call.service, call.database, webhook, delivery_id)
    if found is None:
        raise NotFound(f"no dead delivery {delivery_id[:40]} of this webhook")
    _wake(call)
    return describe_delivery(found)


async def _find(call: Call, webhook_id: str) -> WebhookDocument:
    """Return a webhook whose deliveries the caller may see, with the hidden fields."""
    seen = await call.store.find_one(allow_lookup(call, WEBHOOK), by_id(webhook_id))
    if seen is None:
        raise no_record(WEBHOOK.name, webhook_id)
    access = open_webhooks(call.database, Action.VIEW, call.principal.scope)
    whole = await call.store.find_one(access, by_id(webhook_id))
    if whole is None:  # shared with the caller for reading alone, or removed in this moment
        raise no_record(WEBHOOK.name, webhook_id)
    await require_covered(call, whole)
    return whole


async def _find_changeable(call: Call, webhook_id: str) -> WebhookDocument:
    """Return a webhook that the caller may change, with the hidden fields."""
    require_lasting(call)
    webhook = await _find(call, webhook_id)
    if not allow(call, WEBHOOK, Action.UPDATE).admits(webhook):
        raise build_refusal(call, WEBHOOK, Action.UPDATE, dict(webhook), is_stored=True)
    return webhook


async def _change(
    call: Call, webhook: WebhookDocument, values: WebhookDocument, unset: tuple[str, ...]
) -> None:
    """Change a webhook as it was read. Raises ``VersionConflict``, and what ``read_version`` does."""
    changes = build_update(values, now(), unset=unset, audit=call.principal.audit)
    match = by_id(str(webhook["_id"])) & equals(version=read_version(webhook))
    access = open_webhooks(call.database, Action.UPDATE, call.principal.scope)

    async def work(store: AnyStore) -> None:
        if await store.update_one(access, match, changes) is None:
            raise VersionConflict("the webhook was changed at the same time: try again")
        if call.receipt is not None:
            await call.receipt.sign(store, Json(b"", is_secret=True))

    await (work(call.service.store) if call.receipt is None else call.service.store.transact(work))
    if call.service.outbox is not None:
        call.service.outbox.forget(call.database)


def _wake(call: Call) -> None:
    if call.service.outbox is not None:
        call.service.outbox.wake(call.database)
