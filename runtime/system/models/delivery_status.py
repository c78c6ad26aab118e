"""DeliveryStatus, from runtime/system/specs/integration/delivery_status.yaml. Written by the generator; do not edit."""

from typing import Literal

from runtime.model.record import Moment, ObjectIdText, Strict


class DeliveryStatus(Strict):
    """The state of a notification."""

    id: ObjectIdText
    webhook_id: str
    type: str
    record_id: str | None = None
    record_version: int | None = None
    occurred_at: Moment
    status: Literal["WAITING", "DELIVERED", "DEAD"]
    attempts: int
    next_attempt_at: Moment | None = None
    last_status: int | None = None
    last_error: str | None = None
    delivered_at: Moment | None = None
