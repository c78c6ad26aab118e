"""Whether a webhook is on, and pauses by the service: nothing is stored for it any more, what waits stays."""

from dataclasses import replace
from typing import Literal, TypeAlias

from runtime.errors import ServiceError, ValidationFailed
from runtime.filter import by_id, unchanged
from runtime.logs import log
from runtime.model.clock import now
from runtime.model.documents import tenant_of
from runtime.outbox.opening import open_webhooks, within
from runtime.records.document.terms import read_version
from runtime.storage.access import Action
from runtime.storage.own_documents import build_update
from runtime.storage.store import Store
from runtime.system.documents import WebhookDocument

Reason: TypeAlias = Literal["TOO_MANY_WAITING", "GONE", "OWNER", "FILTER"]


def is_on(webhook: WebhookDocument) -> bool:
    """Return whether something is sent to a webhook: it is switched on and not paused."""
    is_active = webhook.get("active") is True and webhook.get("activeStatus") == "ACTIVE"
    return is_active and "pausedReason" not in webhook


async def pause(store: Store, database: str, webhook: WebhookDocument, reason: Reason) -> None:
    """Pause a webhook, if it is still as it was read. Raises nothing but faults of ours."""
    at = now()
    values: WebhookDocument = {"pausedReason": reason, "pausedDate": at}
    access = open_webhooks(database, Action.UPDATE, within(tenant_of(webhook)))
    match = by_id(str(webhook["_id"])) & unchanged("version", webhook.get("version"))
    changes = build_update(values, at)
    try:
        read_version(webhook)
    except ValidationFailed:  # of another tool, and cannot be counted up
        changes = replace(changes, set={**changes.set, "version": 1}, increment={})
    try:
        changed = await store.update_one(access, match, changes)
    except ServiceError:  # it is found out again with the next delivery
        return
    if changed is not None:
        log.warning("webhook.paused", webhook=str(webhook["_id"]), database=database, reason=reason)
