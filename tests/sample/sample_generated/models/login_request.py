"""LoginRequest, from specs/system/login_request.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class LoginRequest(Strict):
    """Who wants in."""

    user_id: Annotated[str, Field(max_length=1000, min_length=1, description="Compared without case.")]
    password: Annotated[str, Field(max_length=1000, min_length=1)]
    realm: Annotated[
        str | None,
        Field(
            max_length=100,
            min_length=1,
            description="The realm the credential lives in, where that is not the default one.",
        ),
    ] = None
