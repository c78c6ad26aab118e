"""QueryExportRequest, from runtime/system/specs/gateway/query_export_request.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import Strict


class QueryExportRequestSort(Strict):
    """Part of QueryExportRequest."""

    field: Annotated[str, Field(max_length=300, pattern="^[^,+\\-\\s][^,]*$", description="A field, dotted.")]
    dir: Annotated[Literal["ASC", "DESC"] | None, Field(description="The direction.")] = "ASC"


class QueryExportRequest(Strict):
    """Which records and fields to export as CSV."""

    root_type: Annotated[
        str, Field(max_length=200, min_length=1, description="The record type: its name, or area and name.")
    ]
    query: Annotated[
        str | None, Field(max_length=16384, description="Which records, in the filter language.")
    ] = None
    time_zone: Annotated[
        str | None,
        Field(max_length=64, description="The time zone of the dates in the query, by its IANA name."),
    ] = "UTC"
    columns: Annotated[
        list[Annotated[str, Field(max_length=300, min_length=1, pattern="^[^,]+$")]] | None,
        Field(
            max_length=200,
            min_length=1,
            description="Fields, dotted; `list[0].field` makes a row of each item of the list (default refName).",
        ),
    ] = None
    sort: Annotated[
        list[QueryExportRequestSort] | None,
        Field(
            max_length=20,
            description="The order; the first field counts first. Fields may have marks, such as `name~ci~nullslast`.",
        ),
    ] = None
    limit: Annotated[
        int | None, Field(ge=1, le=2147483647, description="Maximum number of records (default 1000).")
    ] = None
    skip: Annotated[int | None, Field(ge=0, le=2147483647, description="Number of records to skip.")] = 0
    include_header: Annotated[
        bool | None, Field(description="Whether to write the column names as the first row.")
    ] = True
    realm: Annotated[
        str | None,
        Field(
            max_length=200, min_length=1, description="The realm to act in. Default is the realm of the call."
        ),
    ] = None
