"""AuthorizationCode, from runtime/system/specs/security/authorization_code.yaml. Written by the generator; do not edit."""

from runtime.model.record import Moment, RecordInput


class AuthorizationCode(RecordInput):
    """A code by which a client gets the tokens of a user who signed in. Only its hash is stored, as the refName. It is valid once and for five minutes; one that was used is kept for as long as its tokens can live, to notice a second use."""

    client_id: str
    client_record: str
    redirect_uri: str
    subject: str
    token_epoch: int
    scope: str | None = None
    limited: bool | None = None
    resources: list[str] | None = None
    challenge: str | None = None
    nonce: str | None = None
    auth_time: Moment
    show_auth_time: bool | None = None
    sign_on: str | None = None
    used: bool
    valid_until: Moment
    expires_at: Moment
