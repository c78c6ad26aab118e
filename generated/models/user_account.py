"""UserAccount, from specs/system/user_account.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from generated.models.domain_context import DomainContext
from runtime.model.record import Strict


class UserAccount(Strict):
    """A user, as it is managed."""

    user_id: Annotated[str, Field(description="The user id, with which the user signs in.")]
    subject: Annotated[str, Field(description="Who it is, for ever.")]
    auth_provider_name: Annotated[str, Field(description="The authentication provider that owns it.")]
    roles: Annotated[list[str], Field(description="What it may do in its default realm.")]
    domain_context: Annotated[DomainContext, Field(description="Where the user belongs.")]
    disabled: Annotated[bool, Field(description="Neither logs in nor has its tokens accepted.")]
    force_change_password: Annotated[
        bool, Field(description="The next login is answered with a token for a new password only.")
    ]
    email_of_responsible_party: Annotated[
        str | None, Field(description="Where the person responsible for the user can be reached.")
    ] = None
    description: Annotated[str | None, Field(description="What the user is for.")] = None
    realms: Annotated[list[str] | None, Field(description="Realms it may act in beside the default one.")] = (
        None
    )
    realm_roles: Annotated[
        dict[str, list[str]] | None, Field(description="What it may do in other realms.")
    ] = None
    realm_reg_ex: Annotated[
        str | None, Field(description="Realms it may act in, as a pattern of the whole name.")
    ] = None
    area2_realm_overrides: Annotated[
        dict[str, str] | None, Field(description="Functional areas whose calls act in another realm.")
    ] = None
    impersonation_enabled: Annotated[bool, Field(description="Whether the user may act as others.")]
    impersonate_filter_script: Annotated[str | None, Field(description="As whom it may act.")] = None
