"""IdempotencyKey, from specs/system/idempotency_key.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import Moment, Record, RecordInput, Strict


class IdempotencyKeyFields(Strict):
    """The fields that are both sent and read."""

    request: Annotated[str, Field(description="A digest of method, path, query, terms and body.")]
    state: Literal["IN_FLIGHT", "DONE"]
    holder: Annotated[str, Field(description="Who does the request; whoever takes over sets another.")]
    lease_until: Annotated[Moment, Field(description="When another may take over, while it is in flight.")]
    expires_at: Annotated[Moment, Field(description="When the key is free again.")]
    is_begun: Annotated[bool, Field(description="Some of its operations are done.")]
    rights: Annotated[
        str | None, Field(description="A digest of what the caller might do when it was done.")
    ] = None
    status: int | None = None
    headers: dict[str, str] | None = None


class IdempotencyKeyInput(IdempotencyKeyFields, RecordInput):
    """A request that has its effect once, and the answer to it, for 24 hours (decisions §1) (as sent)."""

    parts: Annotated[
        dict[str, str] | None, Field(description="Results of operations that are done, by index, as JSON.")
    ] = None
    body: Annotated[str | None, Field(description="The answer; absent where it was too large to keep.")] = (
        None
    )


class IdempotencyKey(IdempotencyKeyFields, Record):
    """A request that has its effect once, and the answer to it, for 24 hours (decisions §1)."""
