"""The operations of the gateway that read, on the functions of the record routes."""

from collections.abc import Sequence
from typing import Any, Final, Protocol

from runtime.access.guard import allow
from runtime.call import Call
from runtime.contract.aggregates import AggregateBody
from runtime.contract.csv import ExportParameters
from runtime.contract.pages import CountParameters, FindBody
from runtime.errors import AnswerTooLarge, InvalidParameter
from runtime.gateway.entering import build_parameters, cap_limit, naming_columns, require_execution
from runtime.gateway.lasting import as_transfer
from runtime.gateway.root_types import describe_root_type, find_root_type, list_visible_types
from runtime.model.problems import validate_body
from runtime.query import (
    AggregationPlan,
    aggregate_records,
    describe_plan,
    explain_plan,
    plan_query,
    run_plan,
)
from runtime.records import count_records
from runtime.records.operations.listing import order_of
from runtime.records.time_zone import enter_time_zone
from runtime.storage.access import Action
from runtime.storage.wire import Json, to_json
from runtime.stream import Stream
from runtime.system.models.query_aggregate_request import QueryAggregateRequest
from runtime.system.models.query_count_request import QueryCountRequest
from runtime.system.models.query_export_request import QueryExportRequest
from runtime.system.models.query_find_request import QueryFindRequest
from runtime.system.models.query_plan_request import QueryPlanRequest
from runtime.system.models.query_root_types_request import QueryRootTypesRequest
from runtime.transfer import export_csv

MOST_INLINE: Final = 2**20
"""Bytes of a file that is a member of an answer."""

_EXPORTED: Final = 1000
"""Records of an export that names no limit."""


class SortKey(Protocol):
    """A field of an order, and its direction."""

    field: str
    dir: Any


async def list_root_types(call: Call, _body: QueryRootTypesRequest) -> Json[Any]:
    """List the record types that the caller may query."""
    return Json(to_json({"rootTypes": [describe_root_type(kind) for kind in list_visible_types(call)]}))


async def plan(call: Call, body: QueryPlanRequest) -> Json[Any]:
    """Check a query and return how it would be executed, with ``explain`` also what it would cost."""
    kind = find_root_type(call, body.root_type, "list", "find")
    call = enter_time_zone(call, body.time_zone)
    planned = plan_query(call, kind, body.query)
    if body.explain:
        page = build_parameters(FindBody, {"limit": cap_limit(call, None)})
        described = await explain_plan(call, planned, page)
    else:
        described = describe_plan(planned)
    return Json(described.model_dump_json(by_alias=True, exclude_none=True).encode())


async def find(call: Call, body: QueryFindRequest) -> Json[Any]:
    """Return a page of records, as ``find`` of their type does, with embedded records."""
    kind = find_root_type(call, body.root_type, "list", "find")
    page, sort = body.page, _render_sort(body.sort)
    if page is not None and (body.limit is not None or body.skip is not None):
        raise InvalidParameter("name the page by page, or by limit and skip", parameter="page")
    planned = plan_query(call, kind, body.query)
    order_of(allow(call, kind, Action.VIEW), sort)
    if isinstance(planned, AggregationPlan):
        require_execution(call)
    limit = cap_limit(call, page.limit if page else body.limit)
    skip = page.skip if page else body.skip
    named = {
        "timeZone": body.time_zone, "limit": limit, "skip": skip, "sort": sort, "count": body.count,
        "cursor": body.cursor,
    }  # fmt: skip
    return await run_plan(call, planned, build_parameters(FindBody, named))


async def count(call: Call, body: QueryCountRequest) -> Json[Any]:
    """Count records, as ``count`` of their type does."""
    kind = find_root_type(call, body.root_type, "count")
    named = {"filter": body.query, "timeZone": body.time_zone}
    return await count_records(call, kind, build_parameters(CountParameters, named))


async def aggregate(call: Call, body: QueryAggregateRequest) -> Json[Any]:
    """Group records, and work out measures of each group."""
    kind = find_root_type(call, body.root_type, "list", "find")
    said = body.model_dump(by_alias=True, exclude={"root_type", "realm"}, exclude_none=True)
    asked = validate_body(AggregateBody, to_json(said))
    return await aggregate_records(call, kind, asked)


async def stream_export(call: Call, body: QueryExportRequest) -> Stream:
    """Stream records as CSV, as the export of their type does."""
    kind = find_root_type(call, body.root_type, "export")
    sort = _render_sort(body.sort)
    named = {
        "requestedColumns": ",".join(body.columns) if body.columns else None,
        "filter": body.query,
        "timeZone": body.time_zone,
        "sort": sort,
        "offset": body.skip,
        "length": cap_limit(call, body.limit or _EXPORTED),
        "prependHeaderRow": "false" if body.include_header is False else "true",
        "filename": f"{kind.domain}.csv",
    }
    with naming_columns():
        return await export_csv(call, kind, build_parameters(ExportParameters, named))


async def export(call: Call, body: QueryExportRequest) -> Json[Any]:
    """Return records as CSV inside an answer. Raises ``AnswerTooLarge``."""
    with as_transfer(call):
        streamed = await stream_export(call, body)
        text = bytearray(streamed.first)
        try:
            async for part in streamed.rest:
                text += part
                if len(text) > MOST_INLINE:
                    break
        finally:
            await streamed.rest.aclose()
    if len(text) > MOST_INLINE:
        message = (
            f"the file has more than {MOST_INLINE} bytes: ask for fewer records or columns, or page by skip"
        )
        raise AnswerTooLarge(f"{message}; POST /api/query/export streams files of any size")
    return Json(to_json({"csv": text.decode()}))


def _render_sort(keys: Sequence[SortKey] | None) -> str | None:
    """Render an order as the lists of records take it: ``-departsAt,refName``."""
    return ",".join(f"{'-' if key.dir == 'DESC' else ''}{key.field}" for key in keys or ()) or None
