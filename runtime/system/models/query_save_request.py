"""QuerySaveRequest, from runtime/system/specs/gateway/query_save_request.yaml. Written by the generator; do not edit."""

from typing import Annotated, Any

from pydantic import Field

from runtime.model.record import Strict


class QuerySaveRequest(Strict):
    """The record to insert or replace."""

    root_type: Annotated[str, Field(max_length=200, min_length=1)]
    entity: dict[str, Any]
    dry_run: bool | None = False
    realm: Annotated[str | None, Field(max_length=200, min_length=1)] = None
