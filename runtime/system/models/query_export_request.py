"""QueryExportRequest, from runtime/system/specs/gateway/query_export_request.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import Strict


class QueryExportRequestSort(Strict):
    """Part of QueryExportRequest."""

    field: Annotated[str, Field(max_length=300, pattern="^[^,+\\-\\s][^,]*$")]
    dir: Literal["ASC", "DESC"] | None = "ASC"


class QueryExportRequest(Strict):
    """Which records and fields to export as CSV."""

    root_type: Annotated[str, Field(max_length=200, min_length=1)]
    query: Annotated[str | None, Field(max_length=16384)] = None
    time_zone: Annotated[str | None, Field(max_length=64)] = "UTC"
    columns: Annotated[
        list[Annotated[str, Field(max_length=300, min_length=1, pattern="^[^,]+$")]] | None,
        Field(max_length=200, min_length=1),
    ] = None
    sort: Annotated[list[QueryExportRequestSort] | None, Field(max_length=20)] = None
    limit: Annotated[int | None, Field(ge=1, le=2147483647)] = None
    skip: Annotated[int | None, Field(ge=0, le=2147483647)] = 0
    include_header: bool | None = True
    realm: Annotated[str | None, Field(max_length=200, min_length=1)] = None
