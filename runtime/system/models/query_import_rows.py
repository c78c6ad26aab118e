"""QueryImportRows, from runtime/system/specs/gateway/query_import_rows.yaml. Written by the generator; do not edit."""

from typing import Any

from runtime.model.record import Strict


class QueryImportRows(Strict):
    """Analysed rows of an import session, in the order of the file."""

    offset: int
    limit: int
    rows: list[dict[str, Any]]
    row_count: int
    total_count: int
