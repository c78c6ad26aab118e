"""IdempotencyKey, from runtime/system/specs/system/idempotency_key.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import Moment, RecordInput


class IdempotencyKey(RecordInput):
    """A request that takes effect once, and its response; stored for 24 hours."""

    request: Annotated[
        str, Field(description="A digest of method, path, query, conditional headers and body.")
    ]
    state: Literal["IN_FLIGHT", "DONE"]
    holder: Annotated[
        str,
        Field(
            description="The worker that handles the request; a worker that takes over writes its own name."
        ),
    ]
    lease_until: Annotated[
        Moment, Field(description="When another worker may take over a request in flight.")
    ]
    expires_at: Annotated[Moment, Field(description="When the key may be used again.")]
    is_begun: Annotated[bool, Field(description="Whether some of its operations took effect.")]
    parts: Annotated[
        dict[str, str] | None, Field(description="Results of finished operations, by index, as JSON.")
    ] = None
    rights: Annotated[
        str | None, Field(description="A digest of the caller's rights when the request was handled.")
    ] = None
    status: int | None = None
    headers: dict[str, str] | None = None
    body: Annotated[
        str | None, Field(description="The response body; absent if it was too large to store.")
    ] = None
