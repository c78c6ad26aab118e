"""QueryDeleteRequest, from runtime/system/specs/gateway/query_delete_request.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import ObjectIdText, Strict


class QueryDeleteRequest(Strict):
    """The record to delete."""

    root_type: Annotated[str, Field(max_length=200, min_length=1)]
    id: ObjectIdText
    dry_run: bool | None = False
    realm: Annotated[str | None, Field(max_length=200, min_length=1)] = None
