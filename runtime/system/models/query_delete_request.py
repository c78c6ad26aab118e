"""QueryDeleteRequest, from runtime/system/specs/gateway/query_delete_request.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import ObjectIdText, Strict


class QueryDeleteRequest(Strict):
    """The record to delete."""

    root_type: Annotated[
        str, Field(max_length=200, min_length=1, description="The record type: its name, or area and name.")
    ]
    id: Annotated[ObjectIdText, Field(description="The id of the record.")]
    dry_run: Annotated[bool | None, Field(description="Whether to check everything and change nothing.")] = (
        False
    )
    realm: Annotated[
        str | None,
        Field(
            max_length=200, min_length=1, description="The realm to act in. Default is the realm of the call."
        ),
    ] = None
