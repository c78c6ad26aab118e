"""QueryRelationshipsRequest, from runtime/system/specs/gateway/query_relationships_request.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import ObjectIdText, Strict


class QueryRelationshipsRequest(Strict):
    """Which edges of a record."""

    entity_id: Annotated[ObjectIdText, Field(description="The id of the record.")]
    direction: Annotated[
        Literal["out", "in", "both"] | None, Field(description="From the record, to it, or both.")
    ] = "both"
    predicate: Annotated[str | None, Field(max_length=80, description="Only this predicate.")] = None
    limit: Annotated[
        int | None, Field(ge=1, le=1000, description="Maximum number of edges to return (default 50).")
    ] = None
    skip: Annotated[
        int | None, Field(ge=0, le=2147483647, description="Number of edges to skip (default 0).")
    ] = None
    realm: Annotated[
        str | None,
        Field(
            max_length=200, min_length=1, description="The realm to act in. Default is the realm of the call."
        ),
    ] = None
