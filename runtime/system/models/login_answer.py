"""LoginAnswer, from runtime/system/specs/security/login_answer.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Moment, Strict


class LoginAnswer(Strict):
    """The tokens of a login and the user they belong to."""

    access_token: Annotated[str, Field(description="The access token; send it as Authorization: Bearer.")]
    refresh_token: Annotated[str, Field(description="The refresh token; valid for one refresh.")]
    token_type: Annotated[str, Field(description="The authorization scheme of the access token.")]
    expires_in: Annotated[int, Field(description="Lifetime of the access token in seconds.")]
    expiration_time: Annotated[Moment, Field(description="When the access token expires.")]
    realm: Annotated[str, Field(description="The realm that calls act in by default.")]
    identity: Annotated[str, Field(description="The user id.")]
    roles: Annotated[list[str], Field(description="The roles of the user.")]
