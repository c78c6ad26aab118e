"""PasswordChange, from runtime/system/specs/security/password_change.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class PasswordChange(Strict):
    """A new password for the caller."""

    new_password: Annotated[str, Field(max_length=1000, min_length=1)]
    old_password: Annotated[str | None, Field(max_length=1000, min_length=1)] = None
    change_token: Annotated[str | None, Field(max_length=8192, min_length=1)] = None
