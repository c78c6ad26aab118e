"""Caller, from runtime/system/specs/security/caller.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict
from runtime.system.models.domain_context import DomainContext


class Caller(Strict):
    """The authenticated caller in the realm of this call."""

    identity: Annotated[str, Field(description="The user id.")]
    subject: Annotated[str, Field(description="The subject of the user.")]
    roles: Annotated[list[str], Field(description="The caller's roles in this realm.")]
    realm: Annotated[str, Field(description="The realm of the call.")]
    domain_context: Annotated[DomainContext, Field(description="The domain context of the caller.")]
