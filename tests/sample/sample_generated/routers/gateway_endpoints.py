"""Hand-written endpoints of the area gateway, from runtime/system/specs/gateway/agent_routes.yaml, runtime/system/specs/gateway/query.yaml. Written by the generator; do not edit."""

from typing import Annotated, Any

from fastapi import Header, Path, Query
from pydantic import Field

import runtime.agents.config
import runtime.gateway.agent_doors
import runtime.gateway.doors
from runtime.http import AgentCalling, Json, KeyTerms, RecordRouter, Stream
from runtime.model.record import ObjectIdText
from runtime.system.models.agent_config import AgentConfig
from runtime.system.models.permission_hints import PermissionHints
from runtime.system.models.predicate_list import PredicateList
from runtime.system.models.query_aggregate_request import QueryAggregateRequest
from runtime.system.models.query_count import QueryCount
from runtime.system.models.query_count_request import QueryCountRequest
from runtime.system.models.query_delete_many_request import QueryDeleteManyRequest
from runtime.system.models.query_delete_request import QueryDeleteRequest
from runtime.system.models.query_deleted import QueryDeleted
from runtime.system.models.query_edges import QueryEdges
from runtime.system.models.query_export_request import QueryExportRequest
from runtime.system.models.query_find_request import QueryFindRequest
from runtime.system.models.query_groups import QueryGroups
from runtime.system.models.query_hints import QueryHints
from runtime.system.models.query_import_analysis import QueryImportAnalysis
from runtime.system.models.query_import_commit import QueryImportCommit
from runtime.system.models.query_import_commit_request import QueryImportCommitRequest
from runtime.system.models.query_import_end import QueryImportEnd
from runtime.system.models.query_import_request import QueryImportRequest
from runtime.system.models.query_import_rows import QueryImportRows
from runtime.system.models.query_import_rows_request import QueryImportRowsRequest
from runtime.system.models.query_import_session_request import QueryImportSessionRequest
from runtime.system.models.query_page import QueryPage
from runtime.system.models.query_plan import QueryPlan
from runtime.system.models.query_plan_request import QueryPlanRequest
from runtime.system.models.query_predicates_request import QueryPredicatesRequest
from runtime.system.models.query_relationships_request import QueryRelationshipsRequest
from runtime.system.models.query_save_request import QuerySaveRequest
from runtime.system.models.query_saved import QuerySaved
from runtime.system.models.root_type_list import RootTypeList
from runtime.system.models.tool_list import ToolList
from runtime.system.models.tool_use import ToolUse

router = RecordRouter(area="gateway", tags=["gateway"])


@router.get("/api/agent/config/list", operation_id="agentConfig_list")
async def agent_config_list(
    call: AgentCalling, realm: Annotated[str, Field(max_length=200, min_length=1), Query(alias="realm")]
) -> Json[list[AgentConfig]]:
    """List the agents of a realm."""
    return await runtime.agents.config.list_agents(call, realm=realm)


@router.post("/api/agent/config", operation_id="agentConfig_save")
async def agent_config_save(
    call: AgentCalling,
    body: AgentConfig,
    realm: Annotated[str, Field(max_length=200, min_length=1), Query(alias="realm")],
) -> Json[AgentConfig]:
    """Create or replace an agent by its reference name."""
    return await runtime.agents.config.save_agent(call, body, realm=realm)


@router.post(
    "/api/agent/execute", operation_id="agent_execute", terms="terms", large_body=("CREATE", "UPDATE")
)
async def execute(call: AgentCalling, body: ToolUse, terms: KeyTerms) -> Json[Any]:
    """Run a tool."""
    return await runtime.gateway.agent_doors.execute_tool(call, body)


@router.get("/api/agent/permission-hints", operation_id="agent_permissionHints")
async def permission_hints(call: AgentCalling) -> Json[PermissionHints]:
    """Explain how permissions are decided."""
    return await runtime.gateway.agent_doors.get_permission_hints(call)


@router.get("/api/agent/query-hints", operation_id="agent_queryHints")
async def query_hints(call: AgentCalling) -> Json[QueryHints]:
    """Explain the query language."""
    return await runtime.gateway.agent_doors.get_query_hints(call)


@router.get("/api/agent/schema", operation_id="agent_schema")
async def schema(call: AgentCalling) -> Json[RootTypeList]:
    """List the record types."""
    return await runtime.gateway.doors.list_root_types(call)


@router.get("/api/agent/tools", operation_id="agent_tools")
async def tools(
    call: AgentCalling,
    realm: Annotated[str | None, Field(max_length=200, min_length=1), Query(alias="realm")] = None,
) -> Json[ToolList]:
    """List the tools."""
    return await runtime.gateway.agent_doors.list_enabled_tools(call, realm=realm)


@router.post("/api/query/aggregate", operation_id="query_aggregate")
async def aggregate(call: AgentCalling, body: QueryAggregateRequest) -> Json[QueryGroups]:
    """Group records of any type."""
    return await runtime.gateway.doors.aggregate(call, body)


@router.post("/api/query/count", operation_id="query_count")
async def count(call: AgentCalling, body: QueryCountRequest) -> Json[QueryCount]:
    """Count records of any type."""
    return await runtime.gateway.doors.count(call, body)


@router.post("/api/query/delete", operation_id="query_delete", terms="terms")
async def delete(
    call: AgentCalling,
    body: QueryDeleteRequest,
    terms: KeyTerms,
    if_match: Annotated[str | None, Header(alias="If-Match")] = None,
) -> Json[QueryDeleted]:
    """Delete a record of any type."""
    return await runtime.gateway.doors.delete(call, body, if_match=if_match)


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
    call: AgentCalling, body: QueryImportCommitRequest, terms: KeyTerms
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


@router.post("/api/query/predicates", operation_id="query_predicates")
async def predicates(call: AgentCalling, body: QueryPredicatesRequest) -> Json[PredicateList]:
    """List the predicates of the ontology."""
    return await runtime.gateway.doors.list_predicates(call, body)


@router.post("/api/query/relationships", operation_id="query_relationships")
async def relationships(call: AgentCalling, body: QueryRelationshipsRequest) -> Json[QueryEdges]:
    """List what a record is connected with."""
    return await runtime.gateway.doors.list_relationships(call, body)


@router.get("/api/query/rootTypes", operation_id="query_rootTypes")
async def root_types(
    call: AgentCalling,
    realm: Annotated[str | None, Field(max_length=200, min_length=1), Query(alias="realm")] = None,
) -> Json[RootTypeList]:
    """List the record types that can be queried."""
    return await runtime.gateway.doors.list_root_types(call, realm=realm)


@router.post("/api/query/save", operation_id="query_save", terms="terms", large_body=("CREATE", "UPDATE"))
async def query_save(
    call: AgentCalling,
    body: QuerySaveRequest,
    terms: KeyTerms,
    if_match: Annotated[str | None, Header(alias="If-Match")] = None,
    if_none_match: Annotated[
        str | None,
        Field(pattern='^(\\*|(W/)?"[!#-~]*"( *, *(W/)?"[!#-~]*")*)$'),
        Header(alias="If-None-Match"),
    ] = None,
) -> Json[QuerySaved]:
    """Insert or replace a record of any type."""
    return await runtime.gateway.doors.save(call, body, if_match=if_match, if_none_match=if_none_match)


@router.delete("/api/agent/config/id/{id}", operation_id="agentConfig_deleteById")
async def delete_by_id(
    call: AgentCalling,
    id_: Annotated[ObjectIdText, Path(alias="id")],
    realm: Annotated[str, Field(max_length=200, min_length=1), Query(alias="realm")],
) -> Json[None]:
    """Delete an agent by id."""
    return await runtime.agents.config.delete_agent(call, id_=id_, realm=realm)


@router.delete("/api/agent/config/{agent}", operation_id="agentConfig_deleteByRefName")
async def delete_by_ref_name(
    call: AgentCalling,
    agent: Annotated[str, Path(alias="agent")],
    realm: Annotated[str, Field(max_length=200, min_length=1), Query(alias="realm")],
) -> Json[None]:
    """Delete an agent by ref name."""
    return await runtime.agents.config.delete_agent(call, agent=agent, realm=realm)


@router.get("/api/agent/config/id/{id}", operation_id="agentConfig_getById")
async def get_by_id(
    call: AgentCalling,
    id_: Annotated[ObjectIdText, Path(alias="id")],
    realm: Annotated[str, Field(max_length=200, min_length=1), Query(alias="realm")],
) -> Json[AgentConfig]:
    """Get an agent by id."""
    return await runtime.agents.config.get_agent(call, id_=id_, realm=realm)


@router.get("/api/agent/config/{agent}", operation_id="agentConfig_getByRefName")
async def get_by_ref_name(
    call: AgentCalling,
    agent: Annotated[str, Path(alias="agent")],
    realm: Annotated[str, Field(max_length=200, min_length=1), Query(alias="realm")],
) -> Json[AgentConfig]:
    """Get an agent by ref name."""
    return await runtime.agents.config.get_agent(call, agent=agent, realm=realm)


@router.get("/api/agent/schema/{rootType}", operation_id="agent_schemaOf")
async def schema_of(call: AgentCalling, root_type: Annotated[str, Path(alias="rootType")]) -> Json[Any]:
    """Get the JSON Schema of a record type."""
    return await runtime.gateway.agent_doors.get_schema_of(call, root_type=root_type)
