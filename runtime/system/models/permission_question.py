"""PermissionQuestion, from runtime/system/specs/security/permission_question.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class PermissionQuestion(Strict):
    """A permission question. Absent members default to those of the caller."""

    identity: Annotated[str | None, Field(max_length=100, min_length=1)] = None
    roles: Annotated[
        list[Annotated[str, Field(max_length=100, min_length=1)]] | None, Field(max_length=100)
    ] = None
    area: Annotated[str, Field(max_length=200, min_length=1)]
    functional_domain: Annotated[str, Field(max_length=200, min_length=1)]
    action: Annotated[str, Field(max_length=200, min_length=1)]
    realm: Annotated[str | None, Field(max_length=38, min_length=1)] = None
    resource: Annotated[str | None, Field(max_length=500, min_length=1)] = None
