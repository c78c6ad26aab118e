"""QueryCountRequest, from runtime/system/specs/gateway/query_count_request.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class QueryCountRequest(Strict):
    """Which records to count."""

    root_type: Annotated[str, Field(max_length=200, min_length=1)]
    query: Annotated[str | None, Field(max_length=16384)] = None
    time_zone: Annotated[str | None, Field(max_length=64)] = "UTC"
    realm: Annotated[str | None, Field(max_length=200, min_length=1)] = None
