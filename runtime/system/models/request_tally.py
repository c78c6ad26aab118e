"""RequestTally, from runtime/system/specs/system/request_tally.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Moment, RecordInput


class RequestTally(RecordInput):
    """How many requests one user or one tenant has sent in a window, in the default realm."""

    key: Annotated[str, Field(description="user: or tenant:, who that is, and the number of the window.")]
    count: int
    expires_at: Moment
