"""QueryImportAnalysis, from runtime/system/specs/gateway/query_import_analysis.yaml. Written by the generator; do not edit."""

from typing import Any

from runtime.model.record import ObjectIdText, Strict


class QueryImportAnalysis(Strict):
    """What each row of a file would do; nothing is stored until the session is committed."""

    session_id: ObjectIdText
    status: str
    total_rows: int
    valid_rows: int
    error_rows: int
    insert_count: int
    update_count: int
    skip_count: int
    rows: list[dict[str, Any]]
