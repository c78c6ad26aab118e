"""QueryEdges, from runtime/system/specs/gateway/query_edges.yaml. Written by the generator; do not edit."""

from typing import Annotated, Any

from pydantic import Field

from runtime.model.record import Strict


class QueryEdges(Strict):
    """A page of the edges of a record."""

    offset: Annotated[int, Field(description="Number of edges before this page.")]
    limit: Annotated[int, Field(description="Maximum number of edges in a page.")]
    rows: Annotated[
        list[dict[str, Any]], Field(description="The edges, as the ontology routes of records return them.")
    ]
    row_count: Annotated[int, Field(description="Number of edges in this page.")]
    has_more: Annotated[bool, Field(description="Whether more edges follow.")]
