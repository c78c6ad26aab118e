"""TokenAnswer, from runtime/system/specs/security/token_answer.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import SnakeCase


class TokenAnswer(SnakeCase):
    """Tokens (RFC 6749 section 5.1, OpenID Connect Core section 3.1.3.3)."""

    access_token: Annotated[str, Field(description="The access token; send it as Authorization: Bearer.")]
    token_type: Annotated[str, Field(description="The authorization scheme of the access token.")]
    expires_in: Annotated[int, Field(description="Lifetime of the access token in seconds.")]
    scope: Annotated[
        str | None,
        Field(description="The scopes of the access token, space-separated; absent if it has none."),
    ] = None
    refresh_token: Annotated[
        str | None,
        Field(
            description="The refresh token, good for one use; for users that signed in, if the client may use it."
        ),
    ] = None
    id_token: Annotated[
        str | None, Field(description="Who signed in (OpenID Connect), if the scope openid was granted.")
    ] = None
