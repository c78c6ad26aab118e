"""What becomes of a delivery after an attempt: accepted, sent again later, or dead. Pure."""

from datetime import datetime, timedelta
from typing import Final

from runtime.outbox.backoff import choose_delay, read_retry_after
from runtime.outbox.posting import Answer
from runtime.settings import Settings
from runtime.storage.store import Changes
from runtime.system.documents import WebhookDeliveryDocument

GONE: Final = 410
"""The status by which a receiver says that it wants no more."""


def build_outcome(
    settings: Settings, delivery: WebhookDeliveryDocument, answer: Answer, now: datetime, draw: float
) -> Changes:
    """Build what is stored about an attempt. ``draw``: 0 to 1, spreads what is sent again."""
    attempts = delivery["attempts"] + 1
    values: WebhookDeliveryDocument = {"attempts": attempts, "holder": ""}
    if answer.status is not None:
        values["lastStatus"] = answer.status
    if answer.is_good:
        delivered: WebhookDeliveryDocument = {
            "status": "DELIVERED",
            "deliveredAt": now,
            "expiresAt": now + timedelta(hours=settings.webhook_delivered_hours),
        }
        return Changes(set={**values, **delivered}, unset=("document", "lastError"))
    values["lastError"] = answer.fault or f"the address answered {answer.status}"
    requested = read_retry_after(answer.retry_after, now)
    delay = choose_delay(attempts, settings.webhook_retry_seconds, draw, requested)
    due = now + timedelta(seconds=delay)
    unset = () if answer.status is not None else ("lastStatus",)
    if answer.status == GONE or due > delivery["giveUpAt"]:
        return Changes(set={**values, **build_end(settings, now)}, unset=unset)
    again: WebhookDeliveryDocument = {"dueAt": due}
    return Changes(set={**values, **again}, unset=unset)


def build_end(settings: Settings, now: datetime) -> WebhookDeliveryDocument:
    """Build the members of a delivery that is dead, until somebody sends it again."""
    return {"status": "DEAD", "expiresAt": now + timedelta(hours=settings.webhook_dead_hours)}


def build_wait(now: datetime, seconds: float) -> Changes:
    """Build what is stored about a delivery that was not tried: another attempt later."""
    later: WebhookDeliveryDocument = {"holder": "", "dueAt": now + timedelta(seconds=seconds)}
    return Changes(set=later)
