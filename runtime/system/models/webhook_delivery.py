"""WebhookDelivery, from runtime/system/specs/system/webhook_delivery.yaml. Written by the generator; do not edit."""

from typing import Any, Literal

from runtime.model.record import Moment, RecordInput


class WebhookDelivery(RecordInput):
    """A change of a record to be sent to a webhook, stored in the transaction of the write."""

    webhook_id: str
    line: str
    sequence: int
    type: str
    record_type: str | None = None
    record_id: str | None = None
    op: Literal["created", "updated", "deleted", "test"]
    record_version: int | None = None
    document: Any = None
    is_trimmed: bool | None = None
    occurred_at: Moment
    status: Literal["WAITING", "DELIVERED", "DEAD"]
    due_at: Moment
    holder: str
    is_blocked: bool
    attempts: int
    last_status: int | None = None
    last_error: str | None = None
    delivered_at: Moment | None = None
    give_up_at: Moment
    expires_at: Moment | None = None
