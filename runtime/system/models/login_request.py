"""LoginRequest, from runtime/system/specs/security/login_request.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class LoginRequest(Strict):
    """A user id and a password."""

    user_id: Annotated[str, Field(max_length=1000, min_length=1)]
    password: Annotated[str, Field(max_length=1000, min_length=1)]
    realm: Annotated[str | None, Field(max_length=100, min_length=1)] = None
