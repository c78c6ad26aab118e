"""Queries of any record type: text → a checked plan → a page of records, or groups of them."""

from runtime.query.aggregate import aggregate_records
from runtime.query.explain import describe_plan, explain_plan
from runtime.query.plan import AggregationPlan, FilterPlan, plan_query, run_plan

__all__ = [
    "AggregationPlan",
    "FilterPlan",
    "aggregate_records",
    "describe_plan",
    "explain_plan",
    "plan_query",
    "run_plan",
]
