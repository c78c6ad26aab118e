"""LoginAttempt, from runtime/system/specs/security/login_attempt.yaml. Written by the generator; do not edit."""

from runtime.model.record import Moment, RecordInput


class LoginAttempt(RecordInput):
    """The failed and unfinished logins of one user or one address, in the default realm."""

    key: str
    failures: list[Moment]
    pending: list[Moment]
    expires_at: Moment
