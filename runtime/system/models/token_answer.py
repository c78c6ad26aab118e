"""TokenAnswer, from runtime/system/specs/security/token_answer.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import SnakeCase


class TokenAnswer(SnakeCase):
    """An access token (RFC 6749 section 5.1)."""

    access_token: Annotated[str, Field(description="The access token; send it as Authorization: Bearer.")]
    token_type: Annotated[str, Field(description="The authorization scheme of the access token.")]
    expires_in: Annotated[int, Field(description="Lifetime of the access token in seconds.")]
