"""LoginAttempt, from specs/system/login_attempt.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Moment, Record, RecordInput, Strict


class LoginAttemptFields(Strict):
    """The fields that are both sent and read."""

    key: Annotated[str, Field(description="user: or address:, and a hash or a network.")]
    failures: Annotated[list[Moment], Field(description="When failed logins began, of the time that counts.")]
    pending: Annotated[list[Moment], Field(description="When unfinished logins began.")]
    expires_at: Moment


class LoginAttemptInput(LoginAttemptFields, RecordInput):
    """The failed and unfinished logins of one user or one address, in the default realm (as sent)."""


class LoginAttempt(LoginAttemptFields, Record):
    """The failed and unfinished logins of one user or one address, in the default realm."""
