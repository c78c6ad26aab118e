"""RealmOverrideGrant, from specs/system/realm_override_grant.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class RealmOverrideGrant(Strict):
    """In which realms a user may act beside its own."""

    realm_reg_ex: Annotated[
        str, Field(max_length=200, min_length=1, description="A pattern of whole names of realms.")
    ]
