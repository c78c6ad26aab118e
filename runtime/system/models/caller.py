"""Caller, from runtime/system/specs/security/caller.yaml. Written by the generator; do not edit."""

from runtime.model.record import Strict
from runtime.system.models.domain_context import DomainContext


class Caller(Strict):
    """The authenticated caller in the realm of this call."""

    identity: str
    subject: str
    roles: list[str]
    realm: str
    domain_context: DomainContext
