"""QueryGroups, from runtime/system/specs/gateway/query_groups.yaml. Written by the generator; do not edit."""

from typing import Any

from runtime.model.record import Strict


class QueryGroups(Strict):
    """Groups of records, one a row."""

    offset: int
    limit: int
    rows: list[dict[str, Any]]
    row_count: int
    has_more: bool
    query: str | None = None
