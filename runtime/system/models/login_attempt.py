"""LoginAttempt, from runtime/system/specs/security/login_attempt.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Moment, RecordInput


class LoginAttempt(RecordInput):
    """The failed and unfinished logins of one user or one address, in the default realm."""

    key: Annotated[str, Field(description="user: and a hash, or address: and a network.")]
    failures: Annotated[list[Moment], Field(description="Start times of failed logins within the window.")]
    pending: Annotated[list[Moment], Field(description="Start times of unfinished logins.")]
    expires_at: Moment
