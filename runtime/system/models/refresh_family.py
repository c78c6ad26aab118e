"""RefreshFamily, from runtime/system/specs/security/refresh_family.yaml. Written by the generator; do not edit."""

from runtime.model.record import Moment, RecordInput


class RefreshFamily(RecordInput):
    """The chain of refresh tokens of one login, or of what a user granted to a client. Only hashes are stored. A client without refresh tokens has one too, for as long as its access token lives."""

    subject: str
    current: str
    previous: str | None = None
    rotated_at: Moment
    revoked: bool
    client_id: str | None = None
    client_record: str | None = None
    scope: str | None = None
    limited: bool | None = None
    resources: list[str] | None = None
    auth_time: Moment | None = None
    show_auth_time: bool | None = None
    sign_on: str | None = None
    code: str | None = None
    last_used_at: Moment | None = None
    expires_at: Moment
