"""QueryPlanRequest, from runtime/system/specs/gateway/query_plan_request.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class QueryPlanRequest(Strict):
    """What to plan."""

    root_type: Annotated[str, Field(max_length=200, min_length=1)]
    query: Annotated[str | None, Field(max_length=16384)] = None
    time_zone: Annotated[str | None, Field(max_length=64)] = "UTC"
    explain: bool | None = False
    realm: Annotated[str | None, Field(max_length=200, min_length=1)] = None
