"""UserAccount, from runtime/system/specs/security/user_account.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict
from runtime.system.models.domain_context import DomainContext


class UserAccount(Strict):
    """A user account."""

    user_id: Annotated[str, Field(description="The user id, with which the user signs in.")]
    subject: Annotated[str, Field(description="The permanent identifier of the user.")]
    auth_provider_name: Annotated[
        str, Field(description="The authentication provider that owns the account.")
    ]
    roles: Annotated[list[str], Field(description="Roles in the default realm.")]
    domain_context: Annotated[DomainContext, Field(description="Where the user belongs.")]
    disabled: Annotated[bool, Field(description="Whether logins and tokens of the user are refused.")]
    force_change_password: Annotated[
        bool, Field(description="Whether the next login returns only a token for setting a new password.")
    ]
    email_of_responsible_party: Annotated[
        str | None, Field(description="Where the person responsible for the user can be reached.")
    ] = None
    description: Annotated[str | None, Field(description="What the user is for.")] = None
    realms: Annotated[
        list[str] | None, Field(description="Realms the user may act in, in addition to the default one.")
    ] = None
    realm_roles: Annotated[
        dict[str, list[str]] | None, Field(description="Roles in other realms, by realm.")
    ] = None
    realm_reg_ex: Annotated[
        str | None, Field(description="Realms the user may act in, as a pattern that matches the whole name.")
    ] = None
    area2_realm_overrides: Annotated[
        dict[str, str] | None,
        Field(description="Functional areas whose calls act in another realm, by area."),
    ] = None
    impersonation_enabled: Annotated[bool, Field(description="Whether the user may act as other users.")]
    impersonate_filter_script: Annotated[
        str | None, Field(description="A filter over credentials: the users that this user may act as.")
    ] = None
