"""SecretRotation, from runtime/system/specs/security/secret_rotation.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class SecretRotation(Strict):
    """How the secret of an OAuth client is replaced."""

    end_previous: Annotated[
        bool | None, Field(description="Whether the previous secret ends at once, as after a leak.")
    ] = False
