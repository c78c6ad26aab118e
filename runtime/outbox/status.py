"""How far deliveries are, for those who may know; dead ones can be sent again."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import timedelta
from typing import Any, Final, cast

from runtime.call import Service
from runtime.errors import NotFound
from runtime.filter import Predicate, Projection, by_id, compile_filter, equals, one_of
from runtime.model.clock import now
from runtime.model.documents import tenant_of
from runtime.outbox.attempt import name_message
from runtime.outbox.deliveries import build_test
from runtime.outbox.opening import open_deliveries, within
from runtime.storage.access import Access, Action
from runtime.storage.store import Changes, Store
from runtime.system.answers import DeliveryStatusBody
from runtime.system.documents import WebhookDeliveryDocument, WebhookDocument
from runtime.system.record_types import WEBHOOK_DELIVERY

_MOST_COUNTED: Final = 100_000
_STATUSES: Final = ("WAITING", "DELIVERED", "DEAD")
_OPTIONAL: Final = ("recordId", "recordVersion", "lastStatus", "lastError", "deliveredAt")
_SHOWN = Projection(
    include=(
        *("type", "recordId", "recordVersion", "occurredAt", "status", "attempts", "dueAt"),
        *("lastStatus", "lastError", "deliveredAt", "webhookId"),
    )
)
_SENT: Final = compile_filter("attempts:>0", WEBHOOK_DELIVERY)


async def read_deliveries(
    store: Store, database: str, webhook: WebhookDocument, status: str | None, limit: int
) -> list[WebhookDeliveryDocument]:
    """Read the deliveries of a webhook that were sent at least once, the newest first.

    Of the others nobody has decided yet whether the owner may know of them.
    """
    named = one_of("status", _STATUSES if status is None else [status])  # the index has them in order
    match = _match_deliveries(webhook) & _SENT & named
    access, order = _open(database, webhook), (("occurredAt", -1),)
    return await store.find(access, match, order=order, projection=_SHOWN, limit=limit)


async def count_waiting(store: Store, database: str, webhook: WebhookDocument) -> int:
    """Count the deliveries that wait."""
    return await store.count(_open(database, webhook), _match_deliveries(webhook) & equals(status="WAITING"))


async def count_dead(store: Store, database: str, webhook: WebhookDocument) -> int:
    """Count the deliveries that were given up."""
    match = _match_deliveries(webhook) & _SENT & equals(status="DEAD")
    return await store.count(_open(database, webhook), match)


async def count_all_waiting(store: Store, databases: Iterable[str]) -> int:
    """Count the deliveries of some databases that wait, up to a number for each."""
    waits = equals(status="WAITING")
    return sum([await store.count(open_deliveries(one), waits, most=_MOST_COUNTED) for one in databases])


async def renew_delivery(
    service: Service, database: str, webhook: WebhookDocument, delivery_id: str
) -> WebhookDeliveryDocument | None:
    """Send a dead delivery again, alone in its line; None if there is none."""
    at = now()
    values: WebhookDeliveryDocument = {
        "status": "WAITING",
        "line": f"{webhook['_id']} again {delivery_id}",
        "dueAt": at,
        "giveUpAt": at + timedelta(hours=service.settings.webhook_hours),
    }
    access = _open(database, webhook, Action.UPDATE)
    is_dead = _match_deliveries(webhook) & equals(status="DEAD")
    changes = Changes(set={**values}, unset=("expiresAt",))
    with suppress(NotFound):  # of a malformed id
        return await service.store.update_one(access, by_id(delivery_id) & is_dead, changes)
    return None


async def store_test(service: Service, database: str, webhook: WebhookDocument) -> WebhookDeliveryDocument:
    """Store a delivery that tests a webhook."""
    delivery = build_test(service.settings, webhook)
    await service.store.insert(_open(database, webhook, Action.CREATE), delivery)
    return delivery


def _match_deliveries(webhook: WebhookDocument) -> Predicate:
    return equals(webhookId=str(webhook["_id"]))


def _open(
    database: str, webhook: WebhookDocument, action: Action = Action.VIEW
) -> Access[WebhookDeliveryDocument]:
    return open_deliveries(database, action, within(tenant_of(webhook)))


def describe_delivery(delivery: WebhookDeliveryDocument) -> DeliveryStatusBody:
    """Describe a delivery without its record."""
    described: DeliveryStatusBody = {
        "id": delivery["_id"],
        "webhookId": name_message(delivery),
        "type": delivery["type"],
        "occurredAt": delivery["occurredAt"],
        "status": delivery["status"],
        "attempts": delivery["attempts"],
    }
    if delivery["status"] == "WAITING":
        described["nextAttemptAt"] = delivery["dueAt"]
    row: Mapping[str, Any] = delivery
    return described | cast(DeliveryStatusBody, {name: row[name] for name in _OPTIONAL if name in row})
