"""QueryImportAnalysis, from runtime/system/specs/gateway/query_import_analysis.yaml. Written by the generator; do not edit."""

from typing import Annotated, Any

from pydantic import Field

from runtime.model.record import ObjectIdText, Strict


class QueryImportAnalysis(Strict):
    """What each row of a file would do; nothing is stored until the session is committed."""

    session_id: Annotated[ObjectIdText, Field(description="The import session.")]
    status: Annotated[str, Field(description="What the session is doing.")]
    total_rows: Annotated[int, Field(description="Rows of the file, without the header.")]
    valid_rows: Annotated[int, Field(description="Rows without errors.")]
    error_rows: Annotated[int, Field(description="Rows with errors.")]
    insert_count: Annotated[int, Field(description="Rows that insert a record.")]
    update_count: Annotated[int, Field(description="Rows that update a record.")]
    skip_count: Annotated[int, Field(description="Rows that change nothing.")]
    rows: Annotated[
        list[dict[str, Any]], Field(description="The first hundred rows, each with its intent and errors.")
    ]
