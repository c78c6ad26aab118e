"""QueryGroups, from runtime/system/specs/gateway/query_groups.yaml. Written by the generator; do not edit."""

from typing import Annotated, Any

from pydantic import Field

from runtime.model.record import Strict


class QueryGroups(Strict):
    """Groups of records, one a row."""

    offset: Annotated[int, Field(description="Number of groups before this page.")]
    limit: Annotated[int, Field(description="Maximum number of groups in a page.")]
    rows: Annotated[list[dict[str, Any]], Field(description="Column name → value; null where there is none.")]
    row_count: Annotated[int, Field(description="Number of groups in this page.")]
    has_more: Annotated[bool, Field(description="Whether more groups follow.")]
    query: Annotated[str | None, Field(description="The filter that was applied.")] = None
