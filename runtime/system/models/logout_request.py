"""LogoutRequest, from runtime/system/specs/security/logout_request.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class LogoutRequest(Strict):
    """Which sessions to end."""

    refresh_token: Annotated[
        str | None,
        Field(
            max_length=8192,
            min_length=1,
            description="A refresh token of the session to end. If absent, all sessions of the user end.",
        ),
    ] = None
    everywhere: Annotated[
        bool | None, Field(description="Whether to revoke all access tokens and service tokens as well.")
    ] = False
