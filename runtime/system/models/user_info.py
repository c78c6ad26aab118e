"""UserInfo, from runtime/system/specs/security/user_info.yaml. Written by the generator; do not edit."""

from runtime.model.record import SnakeCase


class UserInfo(SnakeCase):
    """Claims about the user of an access token (OpenID Connect Core)."""

    sub: str
    iss: str
    preferred_username: str | None = None
    groups: list[str] | None = None
    email: str | None = None
