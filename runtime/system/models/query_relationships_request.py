"""QueryRelationshipsRequest, from runtime/system/specs/gateway/query_relationships_request.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import ObjectIdText, Strict


class QueryRelationshipsRequest(Strict):
    """Which edges of a record."""

    entity_id: ObjectIdText
    direction: Literal["out", "in", "both"] | None = "both"
    predicate: Annotated[str | None, Field(max_length=80)] = None
    limit: Annotated[int | None, Field(ge=1, le=1000)] = None
    skip: Annotated[int | None, Field(ge=0, le=2147483647)] = None
    realm: Annotated[str | None, Field(max_length=200, min_length=1)] = None
