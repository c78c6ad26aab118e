"""UserPage, from runtime/system/specs/security/user_page.yaml. Written by the generator; do not edit."""

from runtime.model.record import Strict
from runtime.system.models.user_account import UserAccount


class UserPage(Strict):
    """A page of the users that the caller may manage, sorted by user id ignoring case."""

    offset: int
    limit: int
    rows: list[UserAccount]
    row_count: int
