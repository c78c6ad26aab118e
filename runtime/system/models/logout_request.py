"""LogoutRequest, from runtime/system/specs/security/logout_request.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class LogoutRequest(Strict):
    """Which sessions to end."""

    refresh_token: Annotated[str | None, Field(max_length=8192, min_length=1)] = None
    everywhere: bool | None = False
