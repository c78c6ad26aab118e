"""TokenAnswer, from runtime/system/specs/security/token_answer.yaml. Written by the generator; do not edit."""

from runtime.model.record import SnakeCase


class TokenAnswer(SnakeCase):
    """Tokens (RFC 6749 section 5.1, OpenID Connect Core section 3.1.3.3)."""

    access_token: str
    token_type: str
    expires_in: int
    scope: str | None = None
    refresh_token: str | None = None
    id_token: str | None = None
