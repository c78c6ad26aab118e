"""Aggregates: records of one type, grouped, and what is worked out of each group.

``aggregate_records`` is the flat function to read: allow → plan → compile → group → rows. The records are the
ones that a list shows to the caller.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from runtime.access.guard import allow
from runtime.call import Call
from runtime.contract.aggregates import AggregateBody, Groups
from runtime.filter import admits
from runtime.model.field_type import ValueKind
from runtime.model.mappings import without_nones
from runtime.model.record_type import RecordType
from runtime.query.aggregate_plan import GroupPlan, plan_groups
from runtime.records.document.page_size import page_limit
from runtime.records.relations import compile_callers_filter
from runtime.records.time_zone import enter_time_zone
from runtime.storage.access import Action
from runtime.storage.store import Function
from runtime.storage.wire import Json, to_json

Row = Mapping[str, Any]


async def aggregate_records(call: Call, kind: RecordType[Any], body: AggregateBody) -> Json[Groups]:
    """Return groups of the records that the caller may see, in pages."""
    call = enter_time_zone(call, body.time_zone)
    access = allow(call, kind, Action.VIEW)
    limit = page_limit(call, body.limit)
    plan = plan_groups(kind, access.hidden, body, limit, call.moment)
    match = await compile_callers_filter(call, access, body.query)
    found = await call.store.group(access, match, plan.grouping)
    rows = [_render(plan, row) for row in found or _of_nothing(plan)]
    answer = {
        "offset": body.skip,
        "limit": limit,
        "rows": rows[:limit],
        "rowCount": len(rows[:limit]),
        "hasMore": len(rows) > limit,
        "query": body.query,
    }
    return Json(to_json(without_nones(answer)))


def _of_nothing(plan: GroupPlan) -> list[Row]:
    """Return the group of no records: without keys there is always one."""
    grouping = plan.grouping
    if grouping.keys or grouping.skip:
        return []
    zero = (Function.COUNT, Function.COUNT_DISTINCT, Function.SUM)
    places = [place.path for place in plan.columns.values()]
    functions = [measure.function for measure in grouping.measures]
    row = {path: 0 if one in zero else None for path, one in zip(places, functions, strict=True)}
    return [row] if admits(grouping.having, row) else []


def _render(plan: GroupPlan, row: Row) -> dict[str, Any]:
    return {name: _show(row.get(place.path), place.type.kind) for name, place in plan.columns.items()}


def _show(value: Any, kind: ValueKind) -> Any:
    if isinstance(value, dict):
        return without_nones(value)
    if kind is ValueKind.DECIMAL and isinstance(value, int):  # the sum of no decimals
        return Decimal(value)
    return value
