"""Hand-written endpoints of the area gateway, from runtime/system/specs/gateway/query.yaml. Written by the generator; do not edit."""

from typing import Annotated

from fastapi import Query
from pydantic import Field

import runtime.gateway.doors
from runtime.http import AgentCalling, Json, KeyTerms, RecordRouter, Stream
from runtime.system.models.query_count import QueryCount
from runtime.system.models.query_count_request import QueryCountRequest
from runtime.system.models.query_delete_many_request import QueryDeleteManyRequest
from runtime.system.models.query_delete_request import QueryDeleteRequest
from runtime.system.models.query_deleted import QueryDeleted
from runtime.system.models.query_export_request import QueryExportRequest
from runtime.system.models.query_find_request import QueryFindRequest
from runtime.system.models.query_import_analysis import QueryImportAnalysis
from runtime.system.models.query_import_commit import QueryImportCommit
from runtime.system.models.query_import_end import QueryImportEnd
from runtime.system.models.query_import_request import QueryImportRequest
from runtime.system.models.query_import_rows import QueryImportRows
from runtime.system.models.query_import_rows_request import QueryImportRowsRequest
from runtime.system.models.query_import_session_request import QueryImportSessionRequest
from runtime.system.models.query_page import QueryPage
from runtime.system.models.query_plan import QueryPlan
from runtime.system.models.query_plan_request import QueryPlanRequest
from runtime.system.models.query_save_request import QuerySaveRequest
from runtime.system.models.query_saved import QuerySaved
from runtime.system.models.root_type_list import RootTypeList

router = RecordRouter(area="gateway", tags=["gateway"])


@router.post("/api/query/count", operation_id="query_count")
async def count(call: AgentCalling, body: QueryCountRequest) -> Json[QueryCount]:
    """Count records of any type."""
    return await runtime.gateway.doors.count(call, body)


@router.post("/api/query/delete", operation_id="query_delete", terms="terms")
async def delete(call: AgentCalling, body: QueryDeleteRequest, terms: KeyTerms) -> Json[QueryDeleted]:
    """Delete a record of any type."""
    return await runtime.gateway.doors.delete(call, body)


@router.post("/api/query/deleteMany", operation_id="query_deleteMany", terms="terms")
async def delete_many(
    call: AgentCalling, body: QueryDeleteManyRequest, terms: KeyTerms
) -> Json[QueryDeleted]:
    """Delete all records that match."""
    return await runtime.gateway.doors.delete_many(call, body)


@router.post("/api/query/export", operation_id="query_export", streams=True)
async def export(call: AgentCalling, body: QueryExportRequest) -> Stream:
    """Export records of any type as CSV."""
    return await runtime.gateway.doors.export(call, body)


@router.post("/api/query/find", operation_id="query_find")
async def find(call: AgentCalling, body: QueryFindRequest) -> Json[QueryPage]:
    """Find records of any type."""
    return await runtime.gateway.doors.find(call, body)


@router.post(
    "/api/query/import/analyze",
    operation_id="query_importAnalyze",
    terms="terms",
    large_body=("CREATE", "UPDATE"),
)
async def import_analyze(
    call: AgentCalling, body: QueryImportRequest, terms: KeyTerms
) -> Json[QueryImportAnalysis]:
    """Analyse a CSV file for import."""
    return await runtime.gateway.doors.analyze_import(call, body)


@router.post("/api/query/import/cancel", operation_id="query_importCancel")
async def import_cancel(call: AgentCalling, body: QueryImportSessionRequest) -> Json[QueryImportEnd]:
    """Discard an import session."""
    return await runtime.gateway.doors.cancel_import(call, body)


@router.post("/api/query/import/commit", operation_id="query_importCommit", terms="terms")
async def import_commit(
    call: AgentCalling, body: QueryImportSessionRequest, terms: KeyTerms
) -> Json[QueryImportCommit]:
    """Commit an import session."""
    return await runtime.gateway.doors.commit_import(call, body)


@router.post("/api/query/import/rows", operation_id="query_importRows")
async def import_rows(call: AgentCalling, body: QueryImportRowsRequest) -> Json[QueryImportRows]:
    """List the analysed rows of an import session."""
    return await runtime.gateway.doors.list_import_rows(call, body)


@router.post("/api/query/plan", operation_id="query_plan")
async def plan(call: AgentCalling, body: QueryPlanRequest) -> Json[QueryPlan]:
    """Plan a query."""
    return await runtime.gateway.doors.plan(call, body)


@router.get("/api/query/rootTypes", operation_id="query_rootTypes")
async def root_types(
    call: AgentCalling,
    realm: Annotated[
        str | None,
        Field(max_length=200, min_length=1),
        Query(alias="realm", description="The realm to act in. Default is the realm of the call."),
    ] = None,
) -> Json[RootTypeList]:
    """List the record types that can be queried."""
    return await runtime.gateway.doors.list_root_types(call, realm=realm)


@router.post("/api/query/save", operation_id="query_save", terms="terms", large_body=("CREATE", "UPDATE"))
async def save(call: AgentCalling, body: QuerySaveRequest, terms: KeyTerms) -> Json[QuerySaved]:
    """Insert or replace a record of any type."""
    return await runtime.gateway.doors.save(call, body)
