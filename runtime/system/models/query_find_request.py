"""QueryFindRequest, from runtime/system/specs/gateway/query_find_request.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import Strict


class QueryFindRequestPage(Strict):
    """Part of QueryFindRequest."""

    limit: Annotated[int | None, Field(ge=1, le=1000, description="Maximum number of records to return.")] = (
        None
    )
    skip: Annotated[int | None, Field(ge=0, le=2147483647, description="Number of records to skip.")] = None


class QueryFindRequestSort(Strict):
    """Part of QueryFindRequest."""

    field: Annotated[str, Field(max_length=300, pattern="^[^,+\\-\\s][^,]*$", description="A field, dotted.")]
    dir: Annotated[Literal["ASC", "DESC"] | None, Field(description="The direction.")] = "ASC"


class QueryFindRequest(Strict):
    """Which records to find, in which order, and which page of them."""

    root_type: Annotated[
        str, Field(max_length=200, min_length=1, description="The record type: its name, or area and name.")
    ]
    query: Annotated[
        str | None,
        Field(
            max_length=16384,
            description="Which records, in the filter language, with `expand(…)` and `fields:[…]` (`-id` leaves out the id); absent for all.",
        ),
    ] = None
    time_zone: Annotated[
        str | None,
        Field(max_length=64, description="The time zone of the dates in the query, by its IANA name."),
    ] = "UTC"
    page: Annotated[
        QueryFindRequestPage | None, Field(description="The page, in place of `limit` and `skip`.")
    ] = None
    limit: Annotated[
        int | None, Field(ge=1, le=1000, description="Maximum number of records to return (default 50).")
    ] = None
    skip: Annotated[
        int | None, Field(ge=0, le=2147483647, description="Number of records to skip (default 0).")
    ] = None
    sort: Annotated[
        list[QueryFindRequestSort] | None,
        Field(
            max_length=20,
            description="The order; the first field counts first. Fields may have marks, such as `name~ci~nullslast`.",
        ),
    ] = None
    cursor: Annotated[
        str | None,
        Field(
            max_length=8192,
            pattern="^[A-Za-z0-9_-]*$",
            description="The `nextCursor` of a page, with the same query and sort.",
        ),
    ] = None
    count: Annotated[
        Literal["none", "exact", "estimated"] | None,
        Field(description="Whether to return `totalCount`; `estimated`: up to 10000."),
    ] = "none"
    realm: Annotated[
        str | None,
        Field(
            max_length=200, min_length=1, description="The realm to act in. Default is the realm of the call."
        ),
    ] = None
