"""One attempt to send a delivery: built with the rights of the owner, signed, posted."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from random import SystemRandom
from typing import Final

from runtime.call import Call
from runtime.errors import InternalFault, ServiceError
from runtime.model.clock import now
from runtime.outbox.outcome import GONE, build_outcome, build_wait
from runtime.outbox.pausing import Reason, pause
from runtime.outbox.payload import FilterFault, render_payload
from runtime.outbox.posting import Answer, Poster
from runtime.outbox.queue import Settled
from runtime.outbox.signing import sign
from runtime.system.documents import WebhookDeliveryDocument, WebhookDocument

_DRAW: Final = SystemRandom()
_LATER_SECONDS: Final = 5.0
"""Until a delivery is looked at again that the store, or the service itself, was in the way of."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A delivery that a worker has taken, its webhook, and a call with the rights of the owner."""

    call: Call
    webhook: WebhookDocument
    delivery: WebhookDeliveryDocument


@dataclass(frozen=True, slots=True)
class Result:
    """``seconds``: how long the address took; None if it was not asked."""

    settled: Settled
    seconds: float | None = None
    is_good: bool = False


async def send(attempt: Attempt, poster: Poster) -> Result:
    """Send a delivery; raises nothing for what the store or the other side does."""
    call, webhook, delivery = attempt.call, attempt.webhook, attempt.delivery
    service = call.service
    try:
        body = await render_payload(call, webhook, delivery)
    except FilterFault:
        await _pause(call, webhook, "FILTER")
        return Result(Settled(delivery, build_wait(now(), _LATER_SECONDS)))
    except ServiceError:
        return Result(Settled(delivery, build_wait(now(), _LATER_SECONDS)))
    if body is None:
        return Result(Settled(delivery, None))
    began = time.monotonic()
    answer = await poster.post(webhook["address"], build_headers(webhook, delivery, body), body)
    seconds = time.monotonic() - began
    if answer.status == GONE:
        await _pause(call, webhook, "GONE")
    changes = build_outcome(service.settings, delivery, answer, now(), _DRAW.random())
    return Result(Settled(delivery, changes), seconds, answer.is_good)


def build_fault(attempt: Attempt) -> Result:
    """Build the result of an attempt that a fault of ours has ended."""
    delivery, answer = attempt.delivery, Answer(fault=InternalFault().message)
    changes = build_outcome(attempt.call.service.settings, delivery, answer, now(), _DRAW.random())
    return Result(Settled(delivery, changes))


async def _pause(call: Call, webhook: WebhookDocument, reason: Reason) -> None:
    await pause(call.service.store, call.database, webhook, reason)
    if call.service.outbox is not None:
        call.service.outbox.forget(call.database)


def build_headers(webhook: WebhookDocument, delivery: WebhookDeliveryDocument, body: bytes) -> dict[str, str]:
    """Build the headers of Standard Webhooks: the id of the delivery, the time of the attempt."""
    message_id, timestamp = name_message(delivery), int(time.time())
    return {
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": sign(list_keys(webhook, now()), message_id, timestamp, body),
    }


def name_message(delivery: WebhookDeliveryDocument) -> str:
    """Return the ``webhook-id``, which is the same for each attempt."""
    return f"msg_{delivery['_id']}"


def list_keys(webhook: WebhookDocument, at: datetime) -> Sequence[str]:
    """Return the secrets in force: the current one, and for a while the one before."""
    previous, until = webhook.get("previousSecret"), webhook.get("previousSecretUntil")
    if isinstance(previous, str) and isinstance(until, datetime) and at < until:
        return webhook["secret"], previous
    return (webhook["secret"],)
