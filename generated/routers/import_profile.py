"""Routes of ImportProfile at /integration/import-profiles, from runtime/system/specs/integration/import_profile.yaml. Written by the generator; do not edit."""

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
from runtime.system.models.import_profile import ImportProfile, ImportProfileInput
from runtime.system.record_types import IMPORT_PROFILE

router = RecordRouter(
    area="integration", prefix="/integration/import-profiles", records=IMPORT_PROFILE, tags=["ImportProfile"]
)


@router.get("/list", operation_id="importProfile_listRecords")
async def list_records(call: Calling, query: ListQuery) -> Json[Page[ImportProfile]]:
    """List import profiles."""
    return await records.list_records(call, IMPORT_PROFILE, query)


@router.post("/find", operation_id="importProfile_find", large_body=("VIEW",))
async def find_records(call: Calling, body: FindBody) -> Json[Page[ImportProfile]]:
    """Find import profiles with a JSON body."""
    return await records.find_records(call, IMPORT_PROFILE, body)


@router.get("/entityref", operation_id="importProfile_listReferences")
async def list_references(call: Calling, query: ReferenceQuery) -> Json[list[EntityReference]]:
    """List references to import profiles."""
    return await records.list_references(call, IMPORT_PROFILE, query)


@router.get("/count", operation_id="importProfile_count")
async def count_records(call: Calling, query: CountQuery) -> Json[Count]:
    """Count import profiles."""
    return await records.count_records(call, IMPORT_PROFILE, query)


@router.get("/csv", operation_id="importProfile_exportCsv", streams=True, errors="line")
async def export_csv(call: Calling, query: ExportQuery) -> Stream:
    """Export import profiles as CSV."""
    return await transfer.export_csv(call, IMPORT_PROFILE, query)


@router.post("/csv", operation_id="importProfile_importCsv", terms="terms", upload="file", errors="line")
async def import_csv(call: Calling, query: ImportQuery, file: Upload, terms: KeyTerms) -> Json[ImportAnswer]:
    """Import import profiles from a CSV file."""
    return await transfer.import_csv(call, IMPORT_PROFILE, query, file, terms)


@router.post(
    "/csv/session",
    operation_id="importProfile_openImportSession",
    terms="terms",
    upload="file",
    errors="line",
)
async def open_session(
    call: Calling, query: ImportQuery, file: Upload, terms: KeyTerms
) -> Json[ImportResult]:
    """Open an import session for a CSV file of import profiles."""
    return await transfer.open_session(call, IMPORT_PROFILE, query, file, terms)


@router.post(
    "/csv/session/profile",
    operation_id="importProfile_openProfileSession",
    terms="terms",
    upload="file",
    errors="line",
)
async def open_profile_session(
    call: Calling, query: ProfileQuery, file: Upload, terms: KeyTerms
) -> Json[ImportResult]:
    """Open an import session for import profiles with an import profile."""
    return await transfer.open_profile_session(call, IMPORT_PROFILE, query, file, terms)


@router.get("/csv/session/{sessionId}/rows", operation_id="importProfile_listImportRows", errors="line")
async def list_rows(call: Calling, session_id: SessionId, query: ImportRowsQuery) -> Json[ImportRows]:
    """List the analysed rows of an import session."""
    return await transfer.list_rows(call, IMPORT_PROFILE, session_id, query)


@router.get(
    "/csv/session/{sessionId}/errors",
    operation_id="importProfile_exportImportErrors",
    streams=True,
    errors="line",
)
async def export_errors(call: Calling, session_id: SessionId) -> Stream:
    """Export the rows with errors as CSV."""
    return await transfer.export_errors(call, IMPORT_PROFILE, session_id)


@router.get(
    "/csv/session/{sessionId}/progress",
    operation_id="importProfile_followImport",
    streams=True,
    errors="line",
)
async def follow_progress(call: Calling, session_id: SessionId) -> Stream:
    """Follow an import session as server-sent events."""
    return await transfer.follow_progress(call, IMPORT_PROFILE, session_id)


@router.post(
    "/csv/session/{sessionId}/commit",
    operation_id="importProfile_commitImportSession",
    terms="terms",
    errors="line",
)
async def commit_session(call: Calling, session_id: SessionId, terms: KeyTerms) -> Json[CommitResult]:
    """Commit an import session."""
    return await transfer.commit_session(call, IMPORT_PROFILE, session_id, terms)


@router.delete("/csv/session/{sessionId}", operation_id="importProfile_discardImportSession", errors="line")
async def discard_session(call: Calling, session_id: SessionId) -> Json[None]:
    """Discard an import session."""
    return await transfer.discard_session(call, IMPORT_PROFILE, session_id)


@router.get("/schema", operation_id="importProfile_schema")
async def get_schema(call: Calling) -> Json[JsonSchema]:
    """Get the JSON Schema of an import profile."""
    return await records.get_schema(call, IMPORT_PROFILE)


@router.get("/id/{id}", operation_id="importProfile_getById")
async def get_by_id(
    call: Calling, record_id: RecordId, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[ImportProfile]:
    """Get an import profile by id."""
    return await records.get_by_id(call, IMPORT_PROFILE, record_id, unless, expand)


@router.get("/refName/{refName}", operation_id="importProfile_getByRefName")
async def get_by_ref_name(
    call: Calling, ref_name: RefName, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[ImportProfile]:
    """Get an import profile by reference name."""
    return await records.get_by_ref_name(call, IMPORT_PROFILE, ref_name, unless, expand)


@router.post("", operation_id="importProfile_save", terms="terms", large_body=("CREATE", "UPDATE"))
async def save(call: Calling, body: ImportProfileInput, terms: WriteTerms) -> Json[ImportProfile]:
    """Insert or replace an import profile."""
    return await records.save(call, IMPORT_PROFILE, body, terms)


@router.put("/set", operation_id="importProfile_setFields", terms="terms")
async def set_fields(call: Calling, query: SetQuery, terms: WriteTerms) -> Json[ImportProfile]:
    """Set some fields of an import profile."""
    return await records.set_fields(call, IMPORT_PROFILE, query, terms)


@router.patch("/id/{id}", operation_id="importProfile_patch", terms="terms", large_body=("UPDATE",))
async def patch(
    call: Calling, record_id: RecordId, body: MergePatch, terms: WriteTerms
) -> Json[ImportProfile]:
    """Change an import profile with a merge patch."""
    return await records.patch(call, IMPORT_PROFILE, record_id, body, terms)


@router.post(
    "/bulk",
    operation_id="importProfile_bulk",
    terms="terms",
    large_body=("CREATE", "UPDATE", "DELETE"),
    is_bulk=True,
)
async def run_bulk(call: Calling, body: Bulk, terms: BulkTerms) -> Json[BulkAnswer]:
    """Save or delete many import profiles."""
    return await records.run_bulk(call, IMPORT_PROFILE, body, terms)


@router.put("/bulk/set", operation_id="importProfile_bulkSet", terms="terms", large_body=("UPDATE",))
async def run_bulk_set(call: Calling, body: BulkSet, terms: BulkTerms) -> Json[BulkAnswer]:
    """Set the same fields of many import profiles."""
    return await records.run_bulk_set(call, IMPORT_PROFILE, body, terms)


@router.delete("/id/{id}", operation_id="importProfile_deleteById", terms="terms")
async def delete_by_id(call: Calling, record_id: RecordId, terms: WriteTerms) -> Json[None]:
    """Delete an import profile."""
    return await records.delete_by_id(call, IMPORT_PROFILE, record_id, terms)
