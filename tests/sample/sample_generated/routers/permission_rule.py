"""Routes of PermissionRule at /security/permission/rules, from runtime/system/specs/security/permission_rule.yaml. Written by the generator; do not edit."""

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
from runtime.system.models.permission_rule import PermissionRule, PermissionRuleInput
from runtime.system.record_types import PERMISSION_RULE

router = RecordRouter(
    area="security", prefix="/security/permission/rules", records=PERMISSION_RULE, tags=["PermissionRule"]
)


@router.get("/list", operation_id="permissionRule_listRecords")
async def list_records(call: Calling, query: ListQuery) -> Json[Page[PermissionRule]]:
    """List permission rules."""
    return await records.list_records(call, PERMISSION_RULE, query)


@router.post("/find", operation_id="permissionRule_find", large_body=("VIEW",))
async def find_records(call: Calling, body: FindBody) -> Json[Page[PermissionRule]]:
    """Find permission rules with a JSON body."""
    return await records.find_records(call, PERMISSION_RULE, body)


@router.get("/entityref", operation_id="permissionRule_listReferences")
async def list_references(call: Calling, query: ReferenceQuery) -> Json[list[EntityReference]]:
    """List references to permission rules."""
    return await records.list_references(call, PERMISSION_RULE, query)


@router.get("/count", operation_id="permissionRule_count")
async def count_records(call: Calling, query: CountQuery) -> Json[Count]:
    """Count permission rules."""
    return await records.count_records(call, PERMISSION_RULE, query)


@router.get("/csv", operation_id="permissionRule_exportCsv", streams=True, errors="line")
async def export_csv(call: Calling, query: ExportQuery) -> Stream:
    """Export permission rules as CSV."""
    return await transfer.export_csv(call, PERMISSION_RULE, query)


@router.post("/csv", operation_id="permissionRule_importCsv", terms="terms", upload="file", errors="line")
async def import_csv(call: Calling, query: ImportQuery, file: Upload, terms: KeyTerms) -> Json[ImportAnswer]:
    """Import permission rules from a CSV file."""
    return await transfer.import_csv(call, PERMISSION_RULE, query, file, terms)


@router.post(
    "/csv/session",
    operation_id="permissionRule_openImportSession",
    terms="terms",
    upload="file",
    errors="line",
)
async def open_session(
    call: Calling, query: ImportQuery, file: Upload, terms: KeyTerms
) -> Json[ImportResult]:
    """Open an import session for a CSV file of permission rules."""
    return await transfer.open_session(call, PERMISSION_RULE, query, file, terms)


@router.post(
    "/csv/session/profile",
    operation_id="permissionRule_openProfileSession",
    terms="terms",
    upload="file",
    errors="line",
)
async def open_profile_session(
    call: Calling, query: ProfileQuery, file: Upload, terms: KeyTerms
) -> Json[ImportResult]:
    """Open an import session for permission rules with an import profile."""
    return await transfer.open_profile_session(call, PERMISSION_RULE, query, file, terms)


@router.get("/csv/session/{sessionId}/rows", operation_id="permissionRule_listImportRows", errors="line")
async def list_rows(call: Calling, session_id: SessionId, query: ImportRowsQuery) -> Json[ImportRows]:
    """List the analysed rows of an import session."""
    return await transfer.list_rows(call, PERMISSION_RULE, session_id, query)


@router.get(
    "/csv/session/{sessionId}/errors",
    operation_id="permissionRule_exportImportErrors",
    streams=True,
    errors="line",
)
async def export_errors(call: Calling, session_id: SessionId) -> Stream:
    """Export the rows with errors as CSV."""
    return await transfer.export_errors(call, PERMISSION_RULE, session_id)


@router.get(
    "/csv/session/{sessionId}/progress",
    operation_id="permissionRule_followImport",
    streams=True,
    errors="line",
)
async def follow_progress(call: Calling, session_id: SessionId) -> Stream:
    """Follow an import session as server-sent events."""
    return await transfer.follow_progress(call, PERMISSION_RULE, session_id)


@router.post(
    "/csv/session/{sessionId}/commit",
    operation_id="permissionRule_commitImportSession",
    terms="terms",
    errors="line",
)
async def commit_session(call: Calling, session_id: SessionId, terms: KeyTerms) -> Json[CommitResult]:
    """Commit an import session."""
    return await transfer.commit_session(call, PERMISSION_RULE, session_id, terms)


@router.delete("/csv/session/{sessionId}", operation_id="permissionRule_discardImportSession", errors="line")
async def discard_session(call: Calling, session_id: SessionId) -> Json[None]:
    """Discard an import session."""
    return await transfer.discard_session(call, PERMISSION_RULE, session_id)


@router.get("/schema", operation_id="permissionRule_schema")
async def get_schema(call: Calling) -> Json[JsonSchema]:
    """Get the JSON Schema of a permission rule."""
    return await records.get_schema(call, PERMISSION_RULE)


@router.get("/id/{id}", operation_id="permissionRule_getById")
async def get_by_id(
    call: Calling, record_id: RecordId, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[PermissionRule]:
    """Get a permission rule by id."""
    return await records.get_by_id(call, PERMISSION_RULE, record_id, unless, expand)


@router.get("/refName/{refName}", operation_id="permissionRule_getByRefName")
async def get_by_ref_name(
    call: Calling, ref_name: RefName, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[PermissionRule]:
    """Get a permission rule by reference name."""
    return await records.get_by_ref_name(call, PERMISSION_RULE, ref_name, unless, expand)


@router.post("", operation_id="permissionRule_save", terms="terms", large_body=("CREATE", "UPDATE"))
async def save(call: Calling, body: PermissionRuleInput, terms: WriteTerms) -> Json[PermissionRule]:
    """Insert or replace a permission rule."""
    return await records.save(call, PERMISSION_RULE, body, terms)


@router.put("/set", operation_id="permissionRule_setFields", terms="terms")
async def set_fields(call: Calling, query: SetQuery, terms: WriteTerms) -> Json[PermissionRule]:
    """Set some fields of a permission rule."""
    return await records.set_fields(call, PERMISSION_RULE, query, terms)


@router.patch("/id/{id}", operation_id="permissionRule_patch", terms="terms", large_body=("UPDATE",))
async def patch(
    call: Calling, record_id: RecordId, body: MergePatch, terms: WriteTerms
) -> Json[PermissionRule]:
    """Change a permission rule with a merge patch."""
    return await records.patch(call, PERMISSION_RULE, record_id, body, terms)


@router.post(
    "/bulk",
    operation_id="permissionRule_bulk",
    terms="terms",
    large_body=("CREATE", "UPDATE", "DELETE"),
    is_bulk=True,
)
async def run_bulk(call: Calling, body: Bulk, terms: BulkTerms) -> Json[BulkAnswer]:
    """Save or delete many permission rules."""
    return await records.run_bulk(call, PERMISSION_RULE, body, terms)


@router.put("/bulk/set", operation_id="permissionRule_bulkSet", terms="terms", large_body=("UPDATE",))
async def run_bulk_set(call: Calling, body: BulkSet, terms: BulkTerms) -> Json[BulkAnswer]:
    """Set the same fields of many permission rules."""
    return await records.run_bulk_set(call, PERMISSION_RULE, body, terms)


@router.delete("/id/{id}", operation_id="permissionRule_deleteById", terms="terms")
async def delete_by_id(call: Calling, record_id: RecordId, terms: WriteTerms) -> Json[None]:
    """Delete a permission rule."""
    return await records.delete_by_id(call, PERMISSION_RULE, record_id, terms)
