"""Caller, from specs/system/caller.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict
from sample_generated.models.domain_context import DomainContext


class Caller(Strict):
    """The authenticated caller in the realm of this call."""

    identity: Annotated[str, Field(description="The user's id.")]
    subject: str
    roles: Annotated[list[str], Field(description="The caller's roles in this realm.")]
    realm: str
    domain_context: DomainContext
