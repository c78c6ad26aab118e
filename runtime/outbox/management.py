"""The webhooks of a realm as the operator sees them, at the command line.

What is stored here is sent by a running service, within some seconds.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from runtime.call import Service
from runtime.errors import NotFound
from runtime.filter import EVERYTHING, by_id, equals, has_any
from runtime.identity.realms.realm import require_realm
from runtime.model.problems import no_record
from runtime.outbox.opening import open_deliveries, open_webhooks
from runtime.outbox.status import count_dead, count_waiting, read_deliveries, renew_delivery, store_test
from runtime.system.documents import WebhookDeliveryDocument, WebhookDocument
from runtime.system.record_types import WEBHOOK

MOST_SHOWN = 1000
"""Dead deliveries of a webhook that are shown, and read to be sent again, at once."""


_ROOM: Final = 10
"""One of so many parts of what may wait for a webhook stays free for new deliveries, which would pause it."""


class Resent(NamedTuple):
    """Ids of deliveries sent again, and how many dead ones remain, since only ``most`` may then wait."""

    webhook: WebhookDocument
    deliveries: list[str]
    remaining: int = 0
    most: int = 0


async def list_webhooks(service: Service, realm: str) -> list[tuple[WebhookDocument, int]]:
    """List the webhooks of a realm, each with how many deliveries wait."""
    database = await require_realm(service, realm)
    found = await service.store.find(open_webhooks(database), EVERYTHING, order=[("refName", 1)])
    return [(webhook, await count_waiting(service.store, database, webhook)) for webhook in found]


async def count_stopped(service: Service, database: str) -> tuple[int, int]:
    """Count the paused webhooks of a realm, and the deliveries that were given up."""
    paused = await service.store.count(open_webhooks(database), has_any(["pausedReason"]))
    return paused, await service.store.count(open_deliveries(database), equals(status="DEAD"))


async def list_dead(service: Service, realm: str, webhook_id: str) -> list[WebhookDeliveryDocument]:
    """List the dead deliveries of a webhook, the newest first. Raises ``NotFound``."""
    database = await require_realm(service, realm)
    webhook = await _find(service, database, webhook_id)
    return await read_deliveries(service.store, database, webhook, "DEAD", MOST_SHOWN)


async def send_again(service: Service, realm: str, webhook_id: str, deliveries: Sequence[str]) -> Resent:
    """Send dead deliveries again: the ones that are named or, for none, all for which there is room.

    Raises ``NotFound``.
    """
    database = await require_realm(service, realm)
    webhook = await _find(service, database, webhook_id)
    if not deliveries:
        return await _send_all_again(service, database, webhook)
    done = list[str]()
    for delivery_id in sorted(set(deliveries)):
        if await renew_delivery(service, database, webhook, delivery_id) is None:
            before = f"; sent again before it: {', '.join(done)}" if done else ""
            raise NotFound(f"no dead delivery {delivery_id[:40]} of this webhook{before}")
        done.append(delivery_id)
    return Resent(webhook, done)


async def _send_all_again(service: Service, database: str, webhook: WebhookDocument) -> Resent:
    """Send all dead deliveries again, up to a number at which the webhook is not paused soon."""
    most = service.settings.webhook_waiting * (_ROOM - 1) // _ROOM
    room = most - await count_waiting(service.store, database, webhook)
    done, seen = list[str](), set[str]()
    while len(done) < room:
        found = await _list_dead_ids(service, database, webhook, min(MOST_SHOWN, room - len(done)))
        named = set(found) - seen
        if not named:
            return Resent(webhook, done)
        seen |= named
        for delivery_id in sorted(named):
            if await renew_delivery(service, database, webhook, delivery_id) is not None:
                done.append(delivery_id)
    return Resent(webhook, done, await count_dead(service.store, database, webhook), most)


async def send_test(
    service: Service, realm: str, webhook_id: str
) -> tuple[WebhookDocument, WebhookDeliveryDocument]:
    """Store a delivery that tests a webhook; return both. Raises ``NotFound``."""
    database = await require_realm(service, realm)
    webhook = await _find(service, database, webhook_id)
    return webhook, await store_test(service, database, webhook)


async def _list_dead_ids(service: Service, database: str, webhook: WebhookDocument, most: int) -> list[str]:
    found = await read_deliveries(service.store, database, webhook, "DEAD", most)
    return [str(one["_id"]) for one in found]


async def _find(service: Service, database: str, webhook_id: str) -> WebhookDocument:
    webhook = await service.store.find_one(open_webhooks(database), by_id(webhook_id, WEBHOOK.name))
    if webhook is None:
        raise no_record(WEBHOOK.name, webhook_id)
    return webhook
