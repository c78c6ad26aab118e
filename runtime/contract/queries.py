"""Plans of queries on the wire."""

from typing import Annotated, Any, Literal

from pydantic import Field

from runtime.contract.values import Natural, Positive
from runtime.model.record import Strict


class QueryIndex(Strict):
    """How MongoDB would look for the records, as its own ``explain`` says."""

    names: Annotated[list[str], Field(description="The indexes it would use.")]
    scans: Annotated[bool, Field(description="Whether it would read all records of the type.")]
    sorts: Annotated[bool, Field(description="Whether it would sort in memory: no index has the order.")]


class QueryCost(Strict):
    """What a page of a plan would cost, estimated."""

    commands: Annotated[Positive, Field(description="Queries that the store is sent, at most.")]
    matched: Annotated[Natural, Field(description="Number of matching records, counted up to 10000.")]
    rows: Annotated[Natural, Field(description="Number of records in the first page.")]
    references: Annotated[
        Natural | None, Field(description="References that the page may replace by records, at most.")
    ] = None


class QueryPlan(Strict):
    """What a query would do. ``pipeline``, ``index`` and ``cost`` are only there when they are requested."""

    mode: Annotated[
        Literal["FILTER", "AGGREGATION"],
        Field(description="`AGGREGATION`: the query embeds records in place of references."),
    ]
    expand_paths: Annotated[list[str], Field(description="The paths that are expanded.")]
    pipeline: Annotated[
        list[dict[str, Any]] | None,
        Field(
            description="The queries that the store is sent, one after the other. The caller's scope and the "
            "rules are part of each and not shown."
        ),
    ] = None
    index: Annotated[QueryIndex | None, Field(description="For administrators: how records are found.")] = (
        None
    )
    cost: QueryCost | None = None
