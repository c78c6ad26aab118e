"""QueryDeleteManyRequest, from runtime/system/specs/gateway/query_delete_many_request.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class QueryDeleteManyRequest(Strict):
    """Which records to delete; all of them, or none if one cannot be deleted."""

    root_type: Annotated[str, Field(max_length=200, min_length=1)]
    query: Annotated[str, Field(max_length=16384, min_length=1, pattern="\\S")]
    time_zone: Annotated[str | None, Field(max_length=64)] = "UTC"
    dry_run: bool | None = False
    confirm: Annotated[int | None, Field(ge=0, le=100000)] = None
    realm: Annotated[str | None, Field(max_length=200, min_length=1)] = None
