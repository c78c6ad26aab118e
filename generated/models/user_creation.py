"""UserCreation, from specs/system/user_creation.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class UserCreation(Strict):
    """A user to be made. What is left out of its place is the caller's own."""

    user_id: Annotated[
        str,
        Field(
            max_length=100,
            min_length=1,
            description="Unique in the realm, without case, whatever the tenant.",
        ),
    ]
    password: Annotated[
        str, Field(max_length=1000, min_length=1, description="At least 12 characters and at most 72 bytes.")
    ]
    roles: Annotated[
        list[Annotated[str, Field(max_length=100)]],
        Field(max_length=100, min_length=1, description="Roles that the caller has itself."),
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
        bool | None, Field(description="The user must choose another password at the first login.")
    ] = None
    realms: Annotated[
        list[Annotated[str, Field(max_length=38)]] | None,
        Field(
            max_length=100,
            description="Realms it may act in beside that of the call. For the role system only.",
        ),
    ] = None
    realm_roles: Annotated[
        dict[str, list[Annotated[str, Field(max_length=100)]]] | None,
        Field(description="What it may do there. For the role system only."),
    ] = None
    auth_provider_name: Annotated[
        str | None,
        Field(max_length=100, description="The provider that shall own it. Default: the built-in one."),
    ] = None
