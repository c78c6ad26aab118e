"""RealmOverrideGrant, from runtime/system/specs/security/realm_override_grant.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class RealmOverrideGrant(Strict):
    """The realms that a user may act in, in addition to their own."""

    realm_reg_ex: Annotated[str, Field(max_length=200, min_length=1)]
