"""What a write of a webhook does besides: who may write it, what ends with it, and what is sent again."""

from datetime import timedelta
from functools import partial

from runtime.call import Call
from runtime.errors import ServiceError
from runtime.filter import equals
from runtime.logs import log
from runtime.model.documents import tenant_of
from runtime.outbox.opening import open_deliveries, within
from runtime.outbox.owners import require_covered, require_lasting
from runtime.outbox.pausing import is_on
from runtime.outbox.queue import Queue
from runtime.principal import DomainScope
from runtime.storage.access import Action
from runtime.storage.store import Store, Transaction
from runtime.system.documents import WebhookDocument


async def apply_webhook_effect(
    call: Call, transaction: Transaction, before: WebhookDocument | None, after: WebhookDocument | None
) -> None:
    """Check that the caller may change the webhook; delete its deliveries with it, or send what waited.

    Raises ``Denied`` for a caller that has fewer rights than the owner. To delete a webhook needs no more
    than the permission for it: nothing is sent because of that.
    """
    if after is not None:
        require_lasting(call)
    if before is not None and after is not None:
        await require_covered(call, before)
    written = after or before
    if written is None:
        return
    event = "created" if before is None else "removed" if after is None else "changed"
    await transaction.run_after_storing(partial(_report, call, event, written))
    if before is not None and after is not None and is_on(after) and not is_on(before):
        await transaction.run_after_storing(partial(send_waiting, call, after))


async def send_waiting(call: Call, webhook: WebhookDocument, store: Store) -> None:
    """Send what waits for a webhook that is switched on again. Raises nothing for a fault of the store."""
    repeated_for = timedelta(hours=call.service.settings.webhook_hours)
    try:
        await Queue(store, timedelta()).resume(call.database, webhook, repeated_for)
    except ServiceError as error:  # the webhook is stored, and what waits for it is due within minutes
        log.warning("webhook.not_resumed", webhook=str(webhook["_id"]), reason=error.message)
    if call.service.outbox is not None:
        call.service.outbox.wake(call.database)


async def _report(call: Call, event: str, webhook: WebhookDocument, store: Store) -> None:
    webhook_id = str(webhook["_id"])
    log.info(f"webhook.{event}", webhook=webhook_id, realm=call.realm, **call.principal.writer)
    if call.service.outbox is not None:
        call.service.outbox.forget(call.database)
    if event == "removed":
        try:
            await remove_deliveries(store, call.database, webhook_id, within(tenant_of(webhook)))
        except (
            ServiceError
        ) as error:  # the webhook is gone; who sends finds that out, and what is dead expires
            log.warning("webhook.deliveries_left", webhook=webhook_id, reason=error.message)


async def remove_deliveries(store: Store, database: str, webhook_id: str, scope: DomainScope) -> None:
    """Delete all deliveries of a webhook that is not there any more."""
    access = open_deliveries(database, Action.DELETE, scope)
    await store.delete_many(access, equals(webhookId=webhook_id))
