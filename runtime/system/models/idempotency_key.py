"""IdempotencyKey, from runtime/system/specs/system/idempotency_key.yaml. Written by the generator; do not edit."""

from typing import Literal

from runtime.model.record import Moment, RecordInput


class IdempotencyKey(RecordInput):
    """A request that takes effect once, and its response; stored for 24 hours."""

    request: str
    state: Literal["IN_FLIGHT", "DONE"]
    holder: str
    lease_until: Moment
    expires_at: Moment
    is_begun: bool
    parts: dict[str, str] | None = None
    rights: str | None = None
    status: int | None = None
    headers: dict[str, str] | None = None
    body: str | None = None
