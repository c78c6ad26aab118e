"""UserPage, from runtime/system/specs/security/user_page.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict
from runtime.system.models.user_account import UserAccount


class UserPage(Strict):
    """A page of the users that the caller may manage, sorted by user id ignoring case."""

    offset: Annotated[int, Field(description="Number of users before this page.")]
    limit: Annotated[int, Field(description="Maximum number of users in a page.")]
    rows: Annotated[list[UserAccount], Field(description="The users of this page.")]
    row_count: Annotated[int, Field(description="Number of users in this page.")]
