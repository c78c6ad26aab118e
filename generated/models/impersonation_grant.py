"""ImpersonationGrant, from specs/system/impersonation_grant.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class ImpersonationGrant(Strict):
    """As whom a user may act."""

    filter_script: Annotated[
        str,
        Field(
            max_length=2000,
            min_length=1,
            description="A filter over credentials: those that match, as far as the user who grants it may do all that they may.",
        ),
    ]
