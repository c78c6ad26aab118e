"""QueryPlan, from runtime/system/specs/gateway/query_plan.yaml. Written by the generator; do not edit."""

from typing import Annotated, Any, Literal

from pydantic import Field

from runtime.model.record import Strict


class QueryPlanIndex(Strict):
    """Part of QueryPlan."""

    names: list[str]
    scans: bool
    sorts: bool


class QueryPlanCost(Strict):
    """Part of QueryPlan."""

    commands: Annotated[int, Field(ge=1)]
    matched: Annotated[int, Field(ge=0)]
    rows: Annotated[int, Field(ge=0)]
    references: Annotated[int | None, Field(ge=0)] = None


class QueryPlan(Strict):
    """How a query is executed; `pipeline`, `index` and `cost` only where they are requested."""

    mode: Literal["FILTER", "AGGREGATION"]
    expand_paths: list[str]
    pipeline: list[dict[str, Any]] | None = None
    index: QueryPlanIndex | None = None
    cost: QueryPlanCost | None = None
