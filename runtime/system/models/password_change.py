"""PasswordChange, from runtime/system/specs/security/password_change.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class PasswordChange(Strict):
    """A new password for the caller."""

    new_password: Annotated[
        str,
        Field(
            max_length=1000,
            min_length=1,
            description="The new password: at least 12 characters and at most 72 bytes.",
        ),
    ]
    old_password: Annotated[
        str | None,
        Field(
            max_length=1000, min_length=1, description="The current password; required with an access token."
        ),
    ] = None
    change_token: Annotated[
        str | None,
        Field(
            max_length=8192,
            min_length=1,
            description="The changeToken of a login that required a new password; replaces access token and oldPassword.",
        ),
    ] = None
