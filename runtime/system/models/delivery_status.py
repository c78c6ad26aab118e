"""DeliveryStatus, from runtime/system/specs/integration/delivery_status.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import Moment, ObjectIdText, Strict


class DeliveryStatus(Strict):
    """The state of a notification."""

    id: Annotated[ObjectIdText, Field(description="The id of the delivery.")]
    webhook_id: Annotated[str, Field(description="The header webhook-id of each attempt to send it.")]
    type: Annotated[str, Field(description="What is notified.")]
    record_id: Annotated[str | None, Field(description="The id of the record; absent for a test.")] = None
    record_version: Annotated[int | None, Field(description="The version of the record after the write.")] = (
        None
    )
    occurred_at: Annotated[Moment, Field(description="When the record was written.")]
    status: Annotated[
        Literal["WAITING", "DELIVERED", "DEAD"],
        Field(
            description="WAITING: will be sent; DELIVERED: was accepted; DEAD: was given up; it can be sent again."
        ),
    ]
    attempts: Annotated[int, Field(description="How often it was sent.")]
    next_attempt_at: Annotated[
        Moment | None, Field(description="When it is sent next; absent unless it waits.")
    ] = None
    last_status: Annotated[
        int | None, Field(description="The HTTP status of the last answer; absent if there was none.")
    ] = None
    last_error: Annotated[str | None, Field(description="Why it was not delivered.")] = None
    delivered_at: Annotated[Moment | None, Field(description="When it was accepted.")] = None
