"""Credential, from specs/system/credential.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from generated.models.domain_context import DomainContext
from runtime.model.record import Moment, Record, RecordInput, Strict


class CredentialImpersonationGranter(Strict):
    """Part of Credential."""

    subject: str | None = None
    realm: Annotated[str | None, Field(description="Where the credential of that user is.")] = None
    roles: Annotated[list[str] | None, Field(description="What that user had there.")] = None
    operator: Annotated[
        bool | None, Field(description="Not bounded: the operator. Without a subject, at the command line.")
    ] = None


class CredentialFields(Strict):
    """The fields that are both sent and read."""

    user_id: Annotated[str, Field(max_length=100, min_length=1)]
    description: Annotated[str | None, Field(max_length=2000)] = None
    email_of_responsible_party: Annotated[str | None, Field(max_length=320)] = None
    domain_context: DomainContext
    roles: Annotated[list[str], Field(description="What it may do in its default realm.")]
    disabled: Annotated[bool | None, Field(description="Neither logs in nor has its tokens accepted.")] = None
    force_change_password: Annotated[
        bool | None, Field(description="A login is answered with a token for a new password only.")
    ] = None
    realms: Annotated[list[str] | None, Field(description="Realms it may act in beside the default one.")] = (
        None
    )
    realm_reg_ex: Annotated[
        str | None, Field(max_length=200, description="Realms it may act in, as a pattern of the whole name.")
    ] = None
    realm_roles: Annotated[
        dict[str, list[str]] | None,
        Field(description="What it may do in other realms; nothing where none are given."),
    ] = None
    area2_realm_overrides: Annotated[
        dict[str, str] | None, Field(description="Functional areas whose calls act in another realm.")
    ] = None
    impersonation_enabled: Annotated[
        bool | None, Field(description="It may act as those whom impersonateFilterScript names.")
    ] = None
    impersonate_filter_script: Annotated[
        str | None, Field(max_length=2000, description="A filter: which credentials it may act as.")
    ] = None
    subject: Annotated[str | None, Field(description="Who it is, for ever; tokens name it.")] = None
    issuer: str | None = None
    auth_provider_name: Annotated[
        str | None, Field(description="The authentication provider that owns it.")
    ] = None
    last_update: Moment | None = None


class CredentialInput(CredentialFields, RecordInput):
    """A user id with its password, and where its user stands (spec 2 §2.3) (as sent)."""


class Credential(CredentialFields, Record):
    """A user id with its password, and where its user stands (spec 2 §2.3)."""


class CredentialStored(CredentialInput):
    """Credential as stored, with what only the server sets and nobody sees."""

    impersonation_granter: Annotated[
        CredentialImpersonationGranter | None,
        Field(
            description="Who let it act as others, and with what rights; what it may act as never exceeds what that user had then and has now."
        ),
    ] = None
    login_name: Annotated[str | None, Field(description="The user id as it is compared: without case.")] = (
        None
    )
    password_hash: str | None = None
    hashing_algorithm: str | None = None
    token_epoch: Annotated[int | None, Field(description="Tokens of another number are refused.")] = None
