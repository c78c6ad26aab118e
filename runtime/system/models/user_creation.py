"""UserCreation, from runtime/system/specs/security/user_creation.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class UserCreation(Strict):
    """A user to create. Absent members of the domain context default to those of the caller."""

    user_id: Annotated[
        str,
        Field(
            max_length=100,
            min_length=1,
            description="The user id; unique in the realm across tenants, ignoring case.",
        ),
    ]
    password: Annotated[
        str,
        Field(
            max_length=1000,
            min_length=1,
            description="The new password: at least 12 characters and at most 72 bytes.",
        ),
    ]
    roles: Annotated[
        list[Annotated[str, Field(max_length=100)]],
        Field(
            max_length=100, min_length=1, description="Role names; the caller can only grant roles they hold."
        ),
    ]
    tenant_id: Annotated[str | None, Field(max_length=200, min_length=1, description="The tenant.")] = None
    org_ref_name: Annotated[
        str | None, Field(max_length=200, min_length=1, description="The organisation within the tenant.")
    ] = None
    account_id: Annotated[
        str | None, Field(max_length=200, min_length=1, description="The account within the organisation.")
    ] = None
    data_segment: Annotated[
        int | None, Field(ge=0, description="A number that separates records within the tenant.")
    ] = None
    email_of_responsible_party: Annotated[
        str | None,
        Field(max_length=320, description="Where the person responsible for the user can be reached."),
    ] = None
    description: Annotated[str | None, Field(max_length=2000, description="What the user is for.")] = None
    force_change_password: Annotated[
        bool | None, Field(description="Whether the user must choose another password at the first login.")
    ] = None
    realms: Annotated[
        list[Annotated[str, Field(max_length=38)]] | None,
        Field(
            max_length=100,
            description="Realms the user may act in, in addition to the realm of the call. Only the role system may set it.",
        ),
    ] = None
    realm_roles: Annotated[
        dict[str, list[Annotated[str, Field(max_length=100)]]] | None,
        Field(description="Roles in other realms, by realm. Only the role system may set it."),
    ] = None
    auth_provider_name: Annotated[
        str | None,
        Field(
            max_length=100,
            description="The authentication provider of the account (default: the built-in one).",
        ),
    ] = None
