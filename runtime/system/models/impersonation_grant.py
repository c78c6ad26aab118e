"""ImpersonationGrant, from runtime/system/specs/security/impersonation_grant.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class ImpersonationGrant(Strict):
    """The users that a user may act as."""

    filter_script: Annotated[str, Field(max_length=2000, min_length=1)]
