"""PasswordReset, from runtime/system/specs/security/password_reset.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class PasswordReset(Strict):
    """A new password for another user."""

    new_password: Annotated[str, Field(max_length=1000, min_length=1)]
    force_change_password: bool | None = True
