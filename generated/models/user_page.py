"""UserPage, from specs/system/user_page.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from generated.models.user_account import UserAccount
from runtime.record import Strict


class UserPage(Strict):
    """Some of the users a caller may manage, by user id without case."""

    offset: int
    limit: int
    rows: list[UserAccount]
    row_count: Annotated[int, Field(description="Rows here.")]
