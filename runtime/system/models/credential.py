"""Credential, from runtime/system/specs/security/credential.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import Moment, RecordInput, Strict
from runtime.system.models.domain_context import DomainContext


class CredentialImpersonationGranter(Strict):
    """Part of Credential."""

    subject: str | None = None
    realm: str | None = None
    roles: list[str] | None = None
    operator: bool | None = None


class Credential(RecordInput):
    """A user id with its password hash, roles and domain context."""

    user_id: Annotated[str, Field(max_length=100, min_length=1)]
    description: Annotated[str | None, Field(max_length=2000)] = None
    email_of_responsible_party: Annotated[str | None, Field(max_length=320)] = None
    domain_context: DomainContext
    roles: list[str]
    disabled: bool | None = None
    force_change_password: bool | None = None
    realms: list[str] | None = None
    realm_reg_ex: Annotated[str | None, Field(max_length=200)] = None
    realm_roles: dict[str, list[str]] | None = None
    area2_realm_overrides: dict[str, str] | None = None
    impersonation_enabled: bool | None = None
    impersonate_filter_script: Annotated[str | None, Field(max_length=2000)] = None
    subject: str | None = None
    credential_type: Literal["OAUTH"] | None = None
    issuer: str | None = None
    auth_provider_name: str | None = None
    last_update: Moment | None = None


class CredentialStored(Credential):
    """Credential as stored, with what only the server sets and nobody sees."""

    impersonation_granter: CredentialImpersonationGranter | None = None
    login_name: str | None = None
    password_hash: str | None = None
    hashing_algorithm: str | None = None
    token_epoch: int | None = None
