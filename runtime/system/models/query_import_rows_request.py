"""QueryImportRowsRequest, from runtime/system/specs/gateway/query_import_rows_request.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import ObjectIdText, Strict


class QueryImportRowsRequest(Strict):
    """Which analysed rows of an import session to list."""

    root_type: Annotated[str, Field(max_length=200, min_length=1)]
    session_id: ObjectIdText
    only_errors: bool | None = False
    limit: Annotated[int | None, Field(ge=1, le=1000)] = None
    skip: Annotated[int | None, Field(ge=0, le=2147483647)] = 0
    realm: Annotated[str | None, Field(max_length=200, min_length=1)] = None
