"""UserInfoForm, from runtime/system/specs/security/user_info_form.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import SnakeCase


class UserInfoForm(SnakeCase):
    """A request for claims about a user (RFC 6750). Unknown parameters are ignored."""

    access_token: Annotated[str | None, Field(max_length=8192)] = None
