"""QueryPlan, from runtime/system/specs/gateway/query_plan.yaml. Written by the generator; do not edit."""

from typing import Annotated, Any, Literal

from pydantic import Field

from runtime.model.record import Strict


class QueryPlanIndex(Strict):
    """Part of QueryPlan."""

    names: Annotated[list[str], Field(description="The indexes it would use.")]
    scans: Annotated[bool, Field(description="Whether it would read all records of the type.")]
    sorts: Annotated[bool, Field(description="Whether it would sort in memory: no index has the order.")]


class QueryPlanCost(Strict):
    """Part of QueryPlan."""

    commands: Annotated[int, Field(ge=1, description="Maximum number of queries to the store.")]
    matched: Annotated[int, Field(ge=0, description="Number of matching records, counted up to 10000.")]
    rows: Annotated[int, Field(ge=0, description="Number of records in the first page.")]
    references: Annotated[
        int | None, Field(ge=0, description="References that the page may replace by records, at most.")
    ] = None


class QueryPlan(Strict):
    """How a query is executed; `pipeline`, `index` and `cost` only where they are requested."""

    mode: Annotated[
        Literal["FILTER", "AGGREGATION"],
        Field(description="`AGGREGATION`: the query embeds records in place of references."),
    ]
    expand_paths: Annotated[list[str], Field(description="The paths that are expanded.")]
    pipeline: Annotated[
        list[dict[str, Any]] | None,
        Field(
            description="The queries to the store, in their order. Each also has the caller's scope and rules, which are not shown."
        ),
    ] = None
    index: Annotated[
        QueryPlanIndex | None,
        Field(
            description="For administrators: how MongoDB would look for the records, as its own `explain` says."
        ),
    ] = None
    cost: Annotated[QueryPlanCost | None, Field(description="What a page would cost, estimated.")] = None
