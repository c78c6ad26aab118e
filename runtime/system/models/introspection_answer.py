"""IntrospectionAnswer, from runtime/system/specs/security/introspection_answer.yaml. Written by the generator; do not edit."""

from runtime.model.record import SnakeCase


class IntrospectionAnswer(SnakeCase):
    """What a token permits (RFC 7662 section 2.2). For a token that is not active, nothing but `active` is returned."""

    active: bool
    scope: str | None = None
    client_id: str | None = None
    username: str | None = None
    token_type: str | None = None
    exp: int | None = None
    iat: int | None = None
    sub: str | None = None
    aud: list[str] | None = None
    iss: str | None = None
    jti: str | None = None
