"""UserInfo, from runtime/system/specs/security/user_info.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import SnakeCase


class UserInfo(SnakeCase):
    """Claims about the user of an access token (OpenID Connect Core)."""

    sub: Annotated[str, Field(description="The subject of the user.")]
    iss: Annotated[str, Field(description="The issuer of the token.")]
    preferred_username: Annotated[str | None, Field(description="The user id; for the scope profile.")] = None
    groups: Annotated[list[str] | None, Field(description="The roles; for the scope profile.")] = None
    email: Annotated[str | None, Field(description="The email address; for the scope email.")] = None
