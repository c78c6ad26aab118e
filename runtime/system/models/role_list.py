"""RoleList, from runtime/system/specs/security/role_list.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class RoleList(Strict):
    """A list of role names."""

    roles: Annotated[list[Annotated[str, Field(max_length=100)]], Field(max_length=100)]
