"""A plan → a page of records, by the path that lists of records take."""

from typing import Any

from runtime.call import Call
from runtime.contract.pages import FindBody
from runtime.model.record import Page
from runtime.query.plan import AggregationPlan, Plan
from runtime.records import list_records
from runtime.storage.wire import Json


async def run_plan(call: Call, plan: Plan, page: FindBody) -> Json[Page[Any]]:
    """Return a page of what a plan finds.

    ``page`` has order, size, cursor and count; its filter, projection and paths are replaced by the plan's.
    """
    found = {"filter": plan.filter, "projection": plan.projection, "expand": None}
    embeddings = plan.embeddings if isinstance(plan, AggregationPlan) else ()
    return await list_records(call, plan.kind, page.model_copy(update=found), embeddings, may_omit_id=True)
