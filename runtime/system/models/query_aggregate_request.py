"""QueryAggregateRequest, from runtime/system/specs/gateway/query_aggregate_request.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class QueryAggregateRequest(Strict):
    """The records to group, by which fields, and the measures of each group."""

    root_type: Annotated[
        str, Field(max_length=200, min_length=1, description="The record type: its name, or area and name.")
    ]
    query: Annotated[
        str | None, Field(max_length=16384, description="Which records, in the filter language.")
    ] = None
    group_by: Annotated[
        list[Annotated[str, Field(max_length=500, min_length=1)]] | None,
        Field(
            max_length=8,
            description="Fields; of dates `placedAt.by(month)`, or by `year`, `quarter`, `week`, `day`, `hour`. ` as name` renames a column. A field in a list groups its elements. Empty: one group.",
        ),
    ] = None
    measures: Annotated[
        dict[str, Annotated[str, Field(max_length=500, min_length=1)]] | None,
        Field(
            description="Column name → `count`, or `countDistinct`, `sum`, `avg`, `min` or `max` of a field, such as `sum(total)`. None: the distinct values of `groupBy`."
        ),
    ] = None
    time_zone: Annotated[
        str | None, Field(max_length=64, description="The time zone of years to hours, by its IANA name.")
    ] = "UTC"
    having: Annotated[
        str | None, Field(max_length=16384, description="Which groups: a filter on the columns.")
    ] = None
    sort: Annotated[
        str | None, Field(max_length=1024, description="Comma-separated columns; `-` descends.")
    ] = None
    skip: Annotated[int | None, Field(ge=0, le=2147483647, description="Number of groups to skip.")] = 0
    limit: Annotated[
        int | None, Field(ge=1, le=1000, description="Maximum number of groups to return (default 50).")
    ] = None
    realm: Annotated[
        str | None,
        Field(
            max_length=200, min_length=1, description="The realm to act in. Default is the realm of the call."
        ),
    ] = None
