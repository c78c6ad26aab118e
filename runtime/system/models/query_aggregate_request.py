"""QueryAggregateRequest, from runtime/system/specs/gateway/query_aggregate_request.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class QueryAggregateRequest(Strict):
    """The records to group, by which fields, and the measures of each group."""

    root_type: Annotated[str, Field(max_length=200, min_length=1)]
    query: Annotated[str | None, Field(max_length=16384)] = None
    group_by: Annotated[
        list[Annotated[str, Field(max_length=500, min_length=1)]] | None, Field(max_length=8)
    ] = None
    measures: dict[str, Annotated[str, Field(max_length=500, min_length=1)]] | None = None
    time_zone: Annotated[str | None, Field(max_length=64)] = "UTC"
    having: Annotated[str | None, Field(max_length=16384)] = None
    sort: Annotated[str | None, Field(max_length=1024)] = None
    skip: Annotated[int | None, Field(ge=0, le=2147483647)] = 0
    limit: Annotated[int | None, Field(ge=1, le=1000)] = None
    realm: Annotated[str | None, Field(max_length=200, min_length=1)] = None
