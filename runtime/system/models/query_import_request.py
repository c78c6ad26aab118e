"""QueryImportRequest, from runtime/system/specs/gateway/query_import_request.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class QueryImportRequest(Strict):
    """A CSV file to import, and how to read it."""

    root_type: Annotated[str, Field(max_length=200, min_length=1)]
    csv: Annotated[str, Field(min_length=1)]
    columns: Annotated[
        list[Annotated[str, Field(max_length=300, min_length=1, pattern="^[^,]+$")]] | None,
        Field(max_length=200, min_length=1),
    ] = None
    profile: Annotated[str | None, Field(max_length=200, min_length=1)] = None
    field_separator: Annotated[str | None, Field(max_length=1, min_length=1)] = ","
    restore_archived: bool | None = False
    realm: Annotated[str | None, Field(max_length=200, min_length=1)] = None
