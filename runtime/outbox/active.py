"""For which webhooks something is sent now; what waits for the others is set aside, or deleted with them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from runtime.call import Call, Service
from runtime.identity.realms.realms import Realm
from runtime.model.documents import tenant_of
from runtime.outbox.effect import remove_deliveries
from runtime.outbox.opening import within
from runtime.outbox.owners import open_owners_call
from runtime.outbox.pausing import is_on, pause
from runtime.outbox.queue import Queue
from runtime.outbox.recording import Outbox
from runtime.system.documents import WebhookDeliveryDocument, WebhookDocument


class Active(NamedTuple):
    """A webhook for which something is sent, and a call with the rights of its owner."""

    document: WebhookDocument
    call: Call


async def find_active(
    service: Service, outbox: Outbox, queue: Queue, realm: Realm, rows: Sequence[WebhookDeliveryDocument]
) -> Mapping[str, Active]:
    """Find the webhooks of some deliveries that are switched on, and whose owner may call."""
    database, active = realm.database, dict[str, Active]()
    found = defaultdict[str, list[WebhookDeliveryDocument]](list)
    for row in rows:
        found[row["webhookId"]].append(row)
    for webhook_id, waiting in found.items():
        webhook = await outbox.find_webhook(database, webhook_id)
        if webhook is None:
            await remove_deliveries(service.store, database, webhook_id, within(tenant_of(waiting[0])))
            continue
        if is_on(webhook):
            call = await open_owners_call(service, webhook, realm.name, database)
            if call is not None:
                active[webhook_id] = Active(webhook, call)
                continue
            if await service.realms.find_database(realm.name) is None:
                continue  # switched off a moment ago: nobody can call, and it may be switched on again
            await pause(service.store, database, webhook, "OWNER")
            outbox.forget(database)
        await queue.pause(database, webhook_id, waiting)
    return active
