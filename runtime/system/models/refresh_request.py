"""RefreshRequest, from runtime/system/specs/security/refresh_request.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class RefreshRequest(Strict):
    """A request for new tokens."""

    refresh_token: Annotated[str, Field(max_length=8192, min_length=1)]
