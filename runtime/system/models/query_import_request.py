"""QueryImportRequest, from runtime/system/specs/gateway/query_import_request.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class QueryImportRequest(Strict):
    """A CSV file to import, and how to read it."""

    root_type: Annotated[
        str, Field(max_length=200, min_length=1, description="The record type: its name, or area and name.")
    ]
    csv: Annotated[str, Field(min_length=1, description="The whole file, with a header line.")]
    columns: Annotated[
        list[Annotated[str, Field(max_length=300, min_length=1, pattern="^[^,]+$")]] | None,
        Field(
            max_length=200, min_length=1, description="The field of each column. Default is the header line."
        ),
    ] = None
    profile: Annotated[
        str | None,
        Field(
            max_length=200,
            min_length=1,
            description="The refName of an import profile, in place of `columns`.",
        ),
    ] = None
    field_separator: Annotated[
        str | None, Field(max_length=1, min_length=1, description="The separator between cells.")
    ] = ","
    restore_archived: Annotated[
        bool | None,
        Field(
            description="Whether a row that names an archived record restores it. Otherwise it is an error."
        ),
    ] = False
    realm: Annotated[
        str | None,
        Field(
            max_length=200, min_length=1, description="The realm to act in. Default is the realm of the call."
        ),
    ] = None
