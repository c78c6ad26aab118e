"""UserCreation, from runtime/system/specs/security/user_creation.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class UserCreation(Strict):
    """A user to create. Absent members of the domain context default to those of the caller."""

    user_id: Annotated[str, Field(max_length=100, min_length=1)]
    password: Annotated[str, Field(max_length=1000, min_length=1)]
    roles: Annotated[list[Annotated[str, Field(max_length=100)]], Field(max_length=100, min_length=1)]
    tenant_id: Annotated[str | None, Field(max_length=200, min_length=1)] = None
    org_ref_name: Annotated[str | None, Field(max_length=200, min_length=1)] = None
    account_id: Annotated[str | None, Field(max_length=200, min_length=1)] = None
    data_segment: Annotated[int | None, Field(ge=0)] = None
    email_of_responsible_party: Annotated[str | None, Field(max_length=320)] = None
    description: Annotated[str | None, Field(max_length=2000)] = None
    force_change_password: bool | None = None
    realms: Annotated[list[Annotated[str, Field(max_length=38)]] | None, Field(max_length=100)] = None
    realm_roles: dict[str, list[Annotated[str, Field(max_length=100)]]] | None = None
    auth_provider_name: Annotated[str | None, Field(max_length=100)] = None
