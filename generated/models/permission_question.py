"""PermissionQuestion, from specs/system/permission_question.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class PermissionQuestion(Strict):
    """Whether somebody may do something. What is left out is the caller's own."""

    identity: Annotated[str | None, Field(max_length=100, min_length=1, description="A user id.")] = None
    roles: Annotated[
        list[Annotated[str, Field(max_length=100, min_length=1)]] | None,
        Field(max_length=100, description="As if these were all its roles."),
    ] = None
    area: Annotated[
        str, Field(max_length=200, min_length=1, description="The functional area, such as logistics.")
    ]
    functional_domain: Annotated[
        str, Field(max_length=200, min_length=1, description="The functional domain, such as airport.")
    ]
    action: Annotated[str, Field(max_length=200, min_length=1, description="The action, such as VIEW.")]
    realm: Annotated[
        str | None, Field(max_length=38, min_length=1, description="The realm. Default: that of the call.")
    ] = None
    resource: Annotated[
        str | None,
        Field(
            max_length=500, min_length=1, description="The id or refName of a record that the caller can see."
        ),
    ] = None
