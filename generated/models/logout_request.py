"""LogoutRequest, from specs/system/logout_request.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class LogoutRequest(Strict):
    """What to log out of."""

    refresh_token: Annotated[
        str | None,
        Field(
            max_length=8192,
            min_length=1,
            description="The session it belongs to ends. Without one all sessions end.",
        ),
    ] = None
    everywhere: Annotated[
        bool | None, Field(description="Access tokens and service tokens end as well, at once.")
    ] = False
