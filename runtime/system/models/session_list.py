"""SessionList, from runtime/system/specs/security/session_list.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict
from runtime.system.models.session import Session


class SessionList(Strict):
    """The sessions of a user."""

    rows: Annotated[
        list[Session], Field(description="At most 1000 browsers and 1000 others, the last used first.")
    ]
