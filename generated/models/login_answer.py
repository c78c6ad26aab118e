"""LoginAnswer, from specs/system/login_answer.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Moment, Strict


class LoginAnswer(Strict):
    """Tokens, and whom they are for."""

    access_token: Annotated[str, Field(description="Send it as Authorization: Bearer.")]
    refresh_token: Annotated[str, Field(description="Good for one refresh.")]
    token_type: Annotated[str, Field(description="How to send the access token.")]
    expires_in: Annotated[int, Field(description="Seconds.")]
    expiration_time: Annotated[Moment, Field(description="When the access token expires.")]
    realm: Annotated[str, Field(description="Where calls act by default.")]
    identity: Annotated[str, Field(description="The user id.")]
    roles: Annotated[list[str], Field(description="The roles of the user.")]
