"""Webhooks: what follows a write is stored with it, and sent to whom it concerns."""

from runtime.outbox.check import check_webhook
from runtime.outbox.effect import apply_webhook_effect
from runtime.outbox.recording import Outbox
from runtime.outbox.sender import run_sender
from runtime.outbox.status import count_all_waiting

__all__ = ["Outbox", "apply_webhook_effect", "check_webhook", "count_all_waiting", "run_sender"]
