"""QueryFindRequest, from runtime/system/specs/gateway/query_find_request.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import Strict


class QueryFindRequestPage(Strict):
    """Part of QueryFindRequest."""

    limit: Annotated[int | None, Field(ge=1, le=1000)] = None
    skip: Annotated[int | None, Field(ge=0, le=2147483647)] = None


class QueryFindRequestSort(Strict):
    """Part of QueryFindRequest."""

    field: Annotated[str, Field(max_length=300, pattern="^[^,+\\-\\s][^,]*$")]
    dir: Literal["ASC", "DESC"] | None = "ASC"


class QueryFindRequest(Strict):
    """Which records to find, in which order, and which page of them."""

    root_type: Annotated[str, Field(max_length=200, min_length=1)]
    query: Annotated[str | None, Field(max_length=16384)] = None
    time_zone: Annotated[str | None, Field(max_length=64)] = "UTC"
    page: QueryFindRequestPage | None = None
    limit: Annotated[int | None, Field(ge=1, le=1000)] = None
    skip: Annotated[int | None, Field(ge=0, le=2147483647)] = None
    sort: Annotated[list[QueryFindRequestSort] | None, Field(max_length=20)] = None
    cursor: Annotated[str | None, Field(max_length=8192, pattern="^[A-Za-z0-9_-]*$")] = None
    count: Literal["none", "exact", "estimated"] | None = "none"
    realm: Annotated[str | None, Field(max_length=200, min_length=1)] = None
