"""QueryImportRowsRequest, from runtime/system/specs/gateway/query_import_rows_request.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import ObjectIdText, Strict


class QueryImportRowsRequest(Strict):
    """Which analysed rows of an import session to list."""

    root_type: Annotated[
        str, Field(max_length=200, min_length=1, description="The record type: its name, or area and name.")
    ]
    session_id: Annotated[ObjectIdText, Field(description="The import session.")]
    only_errors: Annotated[bool | None, Field(description="Whether to list only rows with errors.")] = False
    limit: Annotated[
        int | None, Field(ge=1, le=1000, description="Maximum number of rows to return (default 50).")
    ] = None
    skip: Annotated[int | None, Field(ge=0, le=2147483647, description="Number of rows to skip.")] = 0
    realm: Annotated[
        str | None,
        Field(
            max_length=200, min_length=1, description="The realm to act in. Default is the realm of the call."
        ),
    ] = None
