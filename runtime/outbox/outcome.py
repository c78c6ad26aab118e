"""What becomes of a delivery after an attempt: accepted, sent again later, or dead. Pure."""

from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

from runtime.outbox.posting import Answer
from runtime.settings import Settings
from runtime.storage.store import Changes
from runtime.system.documents import WebhookDeliveryDocument

GONE: Final = 410
"""The status by which a receiver says that it wants no more."""

MOST_SECONDS: Final = 6 * 3600.0
"""The longest wait by itself."""

_MOST_REQUESTED: Final = 24 * 3600.0
"""The longest wait that a receiver may ask for."""

_MOST_DOUBLINGS: Final = 30


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


def choose_delay(attempts: int, first: float, draw: float, requested: float | None = None) -> float:
    """Return the seconds until the next attempt, after so many.

    They double each time. ``draw`` (0 to 1) spreads them over the upper half, so that what failed together
    does not come back together. ``requested``: what the receiver asks for; it is never sent before.
    """
    longest = min(first * 2.0 ** min(attempts - 1, _MOST_DOUBLINGS), MOST_SECONDS)
    return max(longest * (0.5 + draw / 2), requested or 0.0)


def read_retry_after(value: str | None, now: datetime) -> float | None:
    """Return the seconds that a header ``Retry-After`` asks for; None if it cannot be read.

    ``now``: naive UTC. The header has seconds, or a date (RFC 9110 §10.2.3).
    """
    text = (value or "").strip()[:100]
    if text.isascii() and text.isdigit():
        return min(float(text), _MOST_REQUESTED)
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    ahead = date.replace(tzinfo=date.tzinfo or UTC) - now.replace(tzinfo=UTC)
    return min(max(ahead.total_seconds(), 0.0), _MOST_REQUESTED)
