"""QueryPage, from runtime/system/specs/gateway/query_page.yaml. Written by the generator; do not edit."""

from typing import Annotated, Any

from pydantic import Field

from runtime.model.record import Strict


class QueryPage(Strict):
    """A page of records."""

    offset: Annotated[int, Field(description="Number of records before this page.")]
    limit: Annotated[int, Field(description="Maximum number of records in a page.")]
    rows: Annotated[
        list[dict[str, Any]],
        Field(
            description="The records, as their own routes return them, with embedded records in place of references that are expanded."
        ),
    ]
    row_count: Annotated[int, Field(description="Number of records in this page.")]
    total_count: Annotated[int | None, Field(description="Number of all matching records, if requested.")] = (
        None
    )
    filter: Annotated[str | None, Field(description="The filter that was applied.")] = None
    sort: Annotated[str | None, Field(description="The order, as lists take it.")] = None
    next_cursor: Annotated[
        str | None, Field(description="Where the next page begins; absent on the last one.")
    ] = None
