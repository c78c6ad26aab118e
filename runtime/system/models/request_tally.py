"""RequestTally, from runtime/system/specs/system/request_tally.yaml. Written by the generator; do not edit."""

from runtime.model.record import Moment, RecordInput


class RequestTally(RecordInput):
    """How many requests one user or one tenant has sent in a window, in the default realm."""

    key: str
    count: int
    expires_at: Moment
