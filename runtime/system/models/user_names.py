"""UserNames, from runtime/system/specs/security/user_names.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class UserNames(Strict):
    """The user id and the subject of a user."""

    user_id: Annotated[str, Field(description="The user id, with which the user signs in.")]
    subject: Annotated[str, Field(description="The permanent identifier of the user.")]
