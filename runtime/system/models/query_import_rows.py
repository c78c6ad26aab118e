"""QueryImportRows, from runtime/system/specs/gateway/query_import_rows.yaml. Written by the generator; do not edit."""

from typing import Annotated, Any

from pydantic import Field

from runtime.model.record import Strict


class QueryImportRows(Strict):
    """Analysed rows of an import session, in the order of the file."""

    offset: Annotated[int, Field(description="Number of rows before this page.")]
    limit: Annotated[int, Field(description="Maximum number of rows in a page.")]
    rows: Annotated[list[dict[str, Any]], Field(description="The rows, each with its intent and errors.")]
    row_count: Annotated[int, Field(description="Number of rows in this page.")]
    total_count: Annotated[int, Field(description="Number of all matching rows.")]
