"""Credential, from runtime/system/specs/security/credential.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import Moment, RecordInput, Strict
from runtime.system.models.domain_context import DomainContext


class CredentialImpersonationGranter(Strict):
    """Part of Credential."""

    subject: str | None = None
    realm: Annotated[str | None, Field(description="The realm of the granter's credential.")] = None
    roles: Annotated[list[str] | None, Field(description="The granter's roles in that realm.")] = None
    operator: Annotated[
        bool | None,
        Field(
            description="Granted by an operator: not limited by a granter's rights. Without a subject, granted at the command line."
        ),
    ] = None


class Credential(RecordInput):
    """A user id with its password hash, roles and domain context."""

    user_id: Annotated[str, Field(max_length=100, min_length=1)]
    description: Annotated[str | None, Field(max_length=2000)] = None
    email_of_responsible_party: Annotated[str | None, Field(max_length=320)] = None
    domain_context: DomainContext
    roles: Annotated[list[str], Field(description="Roles in the default realm.")]
    disabled: Annotated[
        bool | None, Field(description="Whether logins and tokens of the user are refused.")
    ] = None
    force_change_password: Annotated[
        bool | None,
        Field(description="Whether the next login returns only a token for setting a new password."),
    ] = None
    realms: Annotated[
        list[str] | None, Field(description="Realms the user may act in, in addition to the default one.")
    ] = None
    realm_reg_ex: Annotated[
        str | None,
        Field(
            max_length=200,
            description="Realms the user may act in, as a pattern that matches the whole name.",
        ),
    ] = None
    realm_roles: Annotated[
        dict[str, list[str]] | None,
        Field(description="Roles in other realms, by realm; a realm that is absent grants none."),
    ] = None
    area2_realm_overrides: Annotated[
        dict[str, str] | None,
        Field(description="Functional areas whose calls act in another realm, by area."),
    ] = None
    impersonation_enabled: Annotated[
        bool | None,
        Field(description="Whether the user may act as the users that impersonateFilterScript matches."),
    ] = None
    impersonate_filter_script: Annotated[
        str | None,
        Field(max_length=2000, description="A filter over credentials: the users that this user may act as."),
    ] = None
    impersonation_granter: Annotated[
        CredentialImpersonationGranter | None,
        Field(
            description="The user who granted impersonation, with their rights at that time. Impersonation never exceeds the rights the granter had then and has now."
        ),
    ] = None
    subject: Annotated[
        str | None, Field(description="The permanent identifier of the user; tokens carry it.")
    ] = None
    credential_type: Annotated[
        Literal["OAUTH"] | None,
        Field(description="Whether it is the credential of an OAuth client; absent for users."),
    ] = None
    issuer: str | None = None
    auth_provider_name: Annotated[
        str | None, Field(description="The authentication provider that owns the account.")
    ] = None
    last_update: Moment | None = None
    login_name: Annotated[
        str | None, Field(description="The user id in the form that is compared (case folded).")
    ] = None
    password_hash: str | None = None
    hashing_algorithm: str | None = None
    token_epoch: Annotated[int | None, Field(description="Tokens with another epoch are refused.")] = None
