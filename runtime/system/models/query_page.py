"""QueryPage, from runtime/system/specs/gateway/query_page.yaml. Written by the generator; do not edit."""

from typing import Any

from runtime.model.record import Strict


class QueryPage(Strict):
    """A page of records."""

    offset: int
    limit: int
    rows: list[dict[str, Any]]
    row_count: int
    total_count: int | None = None
    filter: str | None = None
    sort: str | None = None
    next_cursor: str | None = None
