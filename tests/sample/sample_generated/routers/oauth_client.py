"""Routes of OauthClient at /security/oauth/clients, from runtime/system/specs/security/oauth_client.yaml. Written by the generator; do not edit."""

from runtime import records, transfer
from runtime.http import (
    Bulk,
    BulkAnswer,
    BulkSet,
    BulkTerms,
    Calling,
    CommitResult,
    Count,
    CountQuery,
    EntityReference,
    Expand,
    ExportQuery,
    FindBody,
    IfNoneMatch,
    ImportAnswer,
    ImportQuery,
    ImportResult,
    ImportRows,
    ImportRowsQuery,
    Json,
    JsonSchema,
    KeyTerms,
    ListQuery,
    MergePatch,
    Page,
    ProfileQuery,
    RecordId,
    RecordRouter,
    ReferenceQuery,
    RefName,
    SessionId,
    SetQuery,
    Stream,
    Upload,
    WriteTerms,
)
from runtime.system.models.oauth_client import OauthClient, OauthClientInput
from runtime.system.record_types import OAUTH_CLIENT

router = RecordRouter(
    area="security", prefix="/security/oauth/clients", records=OAUTH_CLIENT, tags=["OauthClient"]
)


@router.get("/list", operation_id="oauthClient_listRecords")
async def list_records(call: Calling, query: ListQuery) -> Json[Page[OauthClient]]:
    """List OAuth clients."""
    return await records.list_records(call, OAUTH_CLIENT, query)


@router.post("/find", operation_id="oauthClient_find", large_body=("VIEW",))
async def find_records(call: Calling, body: FindBody) -> Json[Page[OauthClient]]:
    """Find OAuth clients with a JSON body."""
    return await records.find_records(call, OAUTH_CLIENT, body)


@router.get("/entityref", operation_id="oauthClient_listReferences")
async def list_references(call: Calling, query: ReferenceQuery) -> Json[list[EntityReference]]:
    """List references to OAuth clients."""
    return await records.list_references(call, OAUTH_CLIENT, query)


@router.get("/count", operation_id="oauthClient_count")
async def count_records(call: Calling, query: CountQuery) -> Json[Count]:
    """Count OAuth clients."""
    return await records.count_records(call, OAUTH_CLIENT, query)


@router.get("/csv", operation_id="oauthClient_exportCsv", streams=True, errors="line")
async def export_csv(call: Calling, query: ExportQuery) -> Stream:
    """Export OAuth clients as CSV."""
    return await transfer.export_csv(call, OAUTH_CLIENT, query)


@router.post("/csv", operation_id="oauthClient_importCsv", terms="terms", upload="file", errors="line")
async def import_csv(call: Calling, query: ImportQuery, file: Upload, terms: KeyTerms) -> Json[ImportAnswer]:
    """Import OAuth clients from a CSV file."""
    return await transfer.import_csv(call, OAUTH_CLIENT, query, file, terms)


@router.post(
    "/csv/session", operation_id="oauthClient_openImportSession", terms="terms", upload="file", errors="line"
)
async def open_session(
    call: Calling, query: ImportQuery, file: Upload, terms: KeyTerms
) -> Json[ImportResult]:
    """Open an import session for a CSV file of OAuth clients."""
    return await transfer.open_session(call, OAUTH_CLIENT, query, file, terms)


@router.post(
    "/csv/session/profile",
    operation_id="oauthClient_openProfileSession",
    terms="terms",
    upload="file",
    errors="line",
)
async def open_profile_session(
    call: Calling, query: ProfileQuery, file: Upload, terms: KeyTerms
) -> Json[ImportResult]:
    """Open an import session for OAuth clients with an import profile."""
    return await transfer.open_profile_session(call, OAUTH_CLIENT, query, file, terms)


@router.get("/csv/session/{sessionId}/rows", operation_id="oauthClient_listImportRows", errors="line")
async def list_rows(call: Calling, session_id: SessionId, query: ImportRowsQuery) -> Json[ImportRows]:
    """List the analysed rows of an import session."""
    return await transfer.list_rows(call, OAUTH_CLIENT, session_id, query)


@router.get(
    "/csv/session/{sessionId}/errors",
    operation_id="oauthClient_exportImportErrors",
    streams=True,
    errors="line",
)
async def export_errors(call: Calling, session_id: SessionId) -> Stream:
    """Export the rows with errors as CSV."""
    return await transfer.export_errors(call, OAUTH_CLIENT, session_id)


@router.get(
    "/csv/session/{sessionId}/progress", operation_id="oauthClient_followImport", streams=True, errors="line"
)
async def follow_progress(call: Calling, session_id: SessionId) -> Stream:
    """Follow an import session as server-sent events."""
    return await transfer.follow_progress(call, OAUTH_CLIENT, session_id)


@router.post(
    "/csv/session/{sessionId}/commit",
    operation_id="oauthClient_commitImportSession",
    terms="terms",
    errors="line",
)
async def commit_session(call: Calling, session_id: SessionId, terms: KeyTerms) -> Json[CommitResult]:
    """Commit an import session."""
    return await transfer.commit_session(call, OAUTH_CLIENT, session_id, terms)


@router.delete("/csv/session/{sessionId}", operation_id="oauthClient_discardImportSession", errors="line")
async def discard_session(call: Calling, session_id: SessionId) -> Json[None]:
    """Discard an import session."""
    return await transfer.discard_session(call, OAUTH_CLIENT, session_id)


@router.get("/schema", operation_id="oauthClient_schema")
async def get_schema(call: Calling) -> Json[JsonSchema]:
    """Get the JSON Schema of an OAuth client."""
    return await records.get_schema(call, OAUTH_CLIENT)


@router.get("/id/{id}", operation_id="oauthClient_getById")
async def get_by_id(
    call: Calling, record_id: RecordId, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[OauthClient]:
    """Get an OAuth client by id."""
    return await records.get_by_id(call, OAUTH_CLIENT, record_id, unless, expand)


@router.get("/refName/{refName}", operation_id="oauthClient_getByRefName")
async def get_by_ref_name(
    call: Calling, ref_name: RefName, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[OauthClient]:
    """Get an OAuth client by reference name."""
    return await records.get_by_ref_name(call, OAUTH_CLIENT, ref_name, unless, expand)


@router.post("", operation_id="oauthClient_save", terms="terms", large_body=("CREATE", "UPDATE"))
async def save(call: Calling, body: OauthClientInput, terms: WriteTerms) -> Json[OauthClient]:
    """Insert or replace an OAuth client."""
    return await records.save(call, OAUTH_CLIENT, body, terms)


@router.put("/set", operation_id="oauthClient_setFields", terms="terms")
async def set_fields(call: Calling, query: SetQuery, terms: WriteTerms) -> Json[OauthClient]:
    """Set some fields of an OAuth client."""
    return await records.set_fields(call, OAUTH_CLIENT, query, terms)


@router.patch("/id/{id}", operation_id="oauthClient_patch", terms="terms", large_body=("UPDATE",))
async def patch(call: Calling, record_id: RecordId, body: MergePatch, terms: WriteTerms) -> Json[OauthClient]:
    """Change an OAuth client with a merge patch."""
    return await records.patch(call, OAUTH_CLIENT, record_id, body, terms)


@router.post(
    "/bulk",
    operation_id="oauthClient_bulk",
    terms="terms",
    large_body=("CREATE", "UPDATE", "DELETE"),
    is_bulk=True,
)
async def run_bulk(call: Calling, body: Bulk, terms: BulkTerms) -> Json[BulkAnswer]:
    """Save or delete many OAuth clients."""
    return await records.run_bulk(call, OAUTH_CLIENT, body, terms)


@router.put("/bulk/set", operation_id="oauthClient_bulkSet", terms="terms", large_body=("UPDATE",))
async def run_bulk_set(call: Calling, body: BulkSet, terms: BulkTerms) -> Json[BulkAnswer]:
    """Set the same fields of many OAuth clients."""
    return await records.run_bulk_set(call, OAUTH_CLIENT, body, terms)


@router.delete("/id/{id}", operation_id="oauthClient_deleteById", terms="terms")
async def delete_by_id(call: Calling, record_id: RecordId, terms: WriteTerms) -> Json[None]:
    """Delete an OAuth client."""
    return await records.delete_by_id(call, OAUTH_CLIENT, record_id, terms)
