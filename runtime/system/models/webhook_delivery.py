"""WebhookDelivery, from runtime/system/specs/system/webhook_delivery.yaml. Written by the generator; do not edit."""

from typing import Annotated, Any, Literal

from pydantic import Field

from runtime.model.record import Moment, RecordInput


class WebhookDelivery(RecordInput):
    """A change of a record to be sent to a webhook, stored in the transaction of the write."""

    webhook_id: str
    line: Annotated[
        str,
        Field(description="The webhook and the record: deliveries of one line are sent one after the other."),
    ]
    sequence: Annotated[int, Field(description="The place in the line.")]
    type: str
    record_type: str | None = None
    record_id: str | None = None
    op: Literal["created", "updated", "deleted", "test"]
    record_version: int | None = None
    document: Annotated[
        Any,
        Field(
            description="The record as it is stored, without hidden fields. What the owner may view is decided when it is sent."
        ),
    ] = None
    is_trimmed: Annotated[
        bool | None,
        Field(
            description="Whether the record was too large, so that the document has its common fields alone."
        ),
    ] = None
    occurred_at: Moment
    status: Literal["WAITING", "DELIVERED", "DEAD"]
    due_at: Annotated[
        Moment,
        Field(description="When it is sent next; while a worker sends it, when another may take over."),
    ]
    holder: Annotated[str, Field(description="The worker that sends it; empty if none does.")]
    is_blocked: Annotated[bool, Field(description="Whether an earlier one of its line is not done yet.")]
    attempts: int
    last_status: int | None = None
    last_error: str | None = None
    delivered_at: Moment | None = None
    give_up_at: Annotated[Moment, Field(description="When it is not sent any more.")]
    expires_at: Annotated[Moment | None, Field(description="When it is deleted; absent while it waits.")] = (
        None
    )
