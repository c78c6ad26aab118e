"""What a plan would do: the queries it sends, how their records are found, and what a page would cost.

The caller's own part of each query is shown. Scope and rules are added to it as to any other, and left out
here: what rules look at may be hidden from the caller. How records are found is for administrators, since
it follows from all conditions together.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from runtime.access.guard import allow
from runtime.call import Call
from runtime.contract.pages import FindBody
from runtime.filter import SCORE, Predicate, Projection, RowOrder
from runtime.filter.print import print_filter
from runtime.principal import ADMINISTRATORS
from runtime.query.plan import AggregationPlan, Plan
from runtime.records.document.page_size import page_limit
from runtime.records.expansion import Embedding
from runtime.records.operations.listing import MOST_ESTIMATED, order_of
from runtime.records.operations.windows import compile_first, has_windows
from runtime.records.relations import MOST_TARGETS, read_callers_filter
from runtime.records.time_zone import enter_time_zone
from runtime.storage.access import Access, Action
from runtime.system.models.query_plan import QueryPlan, QueryPlanCost, QueryPlanIndex

Step = dict[str, Any]


def describe_plan(plan: Plan) -> QueryPlan:
    """Describe what kind of plan it is. Nothing is asked of the store."""
    mode, paths = "FILTER", list[str]()
    if isinstance(plan, AggregationPlan):
        mode, paths = "AGGREGATION", list(plan.paths)
    return QueryPlan.model_validate({"mode": mode, "expandPaths": paths})


async def explain_plan(call: Call, plan: Plan, page: FindBody) -> QueryPlan:
    """Describe a plan with its queries, their cost and, for administrators, the indexes they use."""
    call = enter_time_zone(call, page.time_zone)
    access = allow(call, plan.kind, Action.VIEW)
    asked, order = read_callers_filter(call, access, plan.filter), order_of(access, page.sort)
    limit = page_limit(call, page.limit)
    has_parts = has_windows(asked, page, order)
    match = await (compile_first(asked, MOST_TARGETS) if has_parts else asked.compile())
    embeddings = plan.embeddings if isinstance(plan, AggregationPlan) else ()
    inner = list(_describe(embeddings, ""))
    matched = await call.store.count(access, match, most=MOST_ESTIMATED)
    most = call.service.settings.expanded_records
    cost = QueryPlanCost(
        commands=1 + len(inner),
        matched=matched,
        rows=max(0, min(limit, matched - page.skip)),
        references=most if embeddings else None,
    )
    first = _root(plan, page, order, limit)
    index = None
    if not ADMINISTRATORS.isdisjoint(call.principal.roles):
        sent = await compile_first(asked, limit + 1) if has_parts else match
        index = await _find_index(call, access, sent, order, limit)
    described = {"pipeline": [first, *inner], "index": index, "cost": cost}
    return describe_plan(plan).model_copy(update=described)


async def _find_index(
    call: Call, access: Access, match: Predicate, order: RowOrder, limit: int
) -> QueryPlanIndex:
    found = await call.store.explain(access, match, order=order.inside, limit=limit)
    return QueryPlanIndex(names=list(found.indexes), scans=found.scans, sorts=found.sorts)


def _root(plan: Plan, page: FindBody, order: RowOrder, limit: int) -> Step:
    own = {} if plan.filter is None else {"filter": plan.filter}
    fields = {} if plan.projection is None else {"fields": plan.projection.split(",")}
    return {
        "find": plan.kind.qualified_name,
        **own,
        "sort": {"score" if path == SCORE else path: way for path, way in order.keys},
        "skip": page.skip,
        "limit": limit,
        **fields,
    }


def _describe(embeddings: Iterable[Embedding], around: str) -> Iterator[Step]:
    """Yield one step for each embedding, inner ones behind the one they are in."""
    for embedding in embeddings:
        paths = [f"{around}{one.path.replace('[]', '[*]')}" for one in embedding.references]
        own = {} if embedding.where is None else {"filter": print_filter(embedding.where)}
        fields = {} if embedding.projection is None else {"fields": _spell(embedding.projection)}
        yield {"find": embedding.access.kind.qualified_name, "inPlaceOf": paths, **own, **fields}
        yield from _describe(embedding.inner, f"{paths[0]}.")


def _spell(projection: Projection) -> list[str]:
    return [*(f"+{path}" for path in projection.include), *(f"-{path}" for path in projection.exclude)]
