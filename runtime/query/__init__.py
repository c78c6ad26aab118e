"""Queries of any record type: text → a plan that is checked as a whole → a page of records."""

from runtime.query.explain import describe_plan, explain_plan
from runtime.query.plan import AggregationPlan, FilterPlan, plan_query
from runtime.query.run import run_plan

__all__ = ["AggregationPlan", "FilterPlan", "describe_plan", "explain_plan", "plan_query", "run_plan"]
