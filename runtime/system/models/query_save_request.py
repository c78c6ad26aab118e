"""QuerySaveRequest, from runtime/system/specs/gateway/query_save_request.yaml. Written by the generator; do not edit."""

from typing import Annotated, Any

from pydantic import Field

from runtime.model.record import Strict


class QuerySaveRequest(Strict):
    """The record to insert or replace."""

    root_type: Annotated[
        str, Field(max_length=200, min_length=1, description="The record type: its name, or area and name.")
    ]
    entity: Annotated[
        dict[str, Any],
        Field(
            description="The record; with an `id` it replaces that one, with `version` that version only. Absent members are cleared."
        ),
    ]
    dry_run: Annotated[bool | None, Field(description="Whether to check everything and change nothing.")] = (
        False
    )
    realm: Annotated[
        str | None,
        Field(
            max_length=200, min_length=1, description="The realm to act in. Default is the realm of the call."
        ),
    ] = None
