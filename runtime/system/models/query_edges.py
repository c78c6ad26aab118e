"""QueryEdges, from runtime/system/specs/gateway/query_edges.yaml. Written by the generator; do not edit."""

from typing import Any

from runtime.model.record import Strict


class QueryEdges(Strict):
    """A page of the edges of a record."""

    offset: int
    limit: int
    rows: list[dict[str, Any]]
    row_count: int
    has_more: bool
