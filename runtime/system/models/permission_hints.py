"""PermissionHints, from runtime/system/specs/gateway/permission_hints.yaml. Written by the generator; do not edit."""

from typing import Annotated, Any

from pydantic import Field

from runtime.model.record import Strict


class PermissionHintsSubject(Strict):
    """Part of PermissionHints."""

    root_type: Annotated[str, Field(description="The record type.")]
    area: Annotated[str, Field(description="The functional area.")]
    functional_domain: Annotated[str, Field(description="The functional domain.")]
    actions: Annotated[
        list[str], Field(description="What the caller may do, to some of the records at least.")
    ]


class PermissionHintsExample(Strict):
    """Part of PermissionHints."""

    intent: Annotated[str, Field(description="What it asks.")]
    request: Annotated[dict[str, Any], Field(description="The body.")]


class PermissionHints(Strict):
    """How permissions are decided, with what the caller may do."""

    summary: Annotated[str, Field(description="How to ask about a permission.")]
    subjects: Annotated[
        list[PermissionHintsSubject],
        Field(description="The record types that the caller may view, as rules name them."),
    ]
    examples: Annotated[
        list[PermissionHintsExample],
        Field(description="Requests to POST /security/permission/check that can be sent as they are."),
    ]
