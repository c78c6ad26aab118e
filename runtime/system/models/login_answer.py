"""LoginAnswer, from runtime/system/specs/security/login_answer.yaml. Written by the generator; do not edit."""

from runtime.model.record import Moment, Strict


class LoginAnswer(Strict):
    """The tokens of a login and the user they belong to."""

    access_token: str
    refresh_token: str
    token_type: str
    expires_in: int
    expiration_time: Moment
    realm: str
    identity: str
    roles: list[str]
