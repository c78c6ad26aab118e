"""Routes of Depot at /shop/depots, from specs/shop/depot.yaml. Written by the generator; do not edit."""

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
from sample_generated.models.depot import Depot, DepotInput
from sample_generated.record_types import DEPOT

router = RecordRouter(area="shop", prefix="/shop/depots", records=DEPOT, tags=["Depot"])


@router.get("/list", operation_id="depot_listRecords")
async def list_records(call: Calling, query: ListQuery) -> Json[Page[Depot]]:
    """List depots."""
    return await records.list_records(call, DEPOT, query)


@router.post("/find", operation_id="depot_find", large_body=("VIEW",))
async def find_records(call: Calling, body: FindBody) -> Json[Page[Depot]]:
    """Find depots with a JSON body."""
    return await records.find_records(call, DEPOT, body)


@router.get("/entityref", operation_id="depot_listReferences")
async def list_references(call: Calling, query: ReferenceQuery) -> Json[list[EntityReference]]:
    """List references to depots."""
    return await records.list_references(call, DEPOT, query)


@router.get("/count", operation_id="depot_count")
async def count_records(call: Calling, query: CountQuery) -> Json[Count]:
    """Count depots."""
    return await records.count_records(call, DEPOT, query)


@router.get("/csv", operation_id="depot_exportCsv", streams=True, errors="line")
async def export_csv(call: Calling, query: ExportQuery) -> Stream:
    """Export depots as CSV."""
    return await transfer.export_csv(call, DEPOT, query)


@router.post("/csv", operation_id="depot_importCsv", terms="terms", upload="file", errors="line")
async def import_csv(call: Calling, query: ImportQuery, file: Upload, terms: KeyTerms) -> Json[ImportAnswer]:
    """Import depots from a CSV file."""
    return await transfer.import_csv(call, DEPOT, query, file, terms)


@router.post(
    "/csv/session", operation_id="depot_openImportSession", terms="terms", upload="file", errors="line"
)
async def open_session(
    call: Calling, query: ImportQuery, file: Upload, terms: KeyTerms
) -> Json[ImportResult]:
    """Open an import session for a CSV file of depots."""
    return await transfer.open_session(call, DEPOT, query, file, terms)


@router.post(
    "/csv/session/profile",
    operation_id="depot_openProfileSession",
    terms="terms",
    upload="file",
    errors="line",
)
async def open_profile_session(
    call: Calling, query: ProfileQuery, file: Upload, terms: KeyTerms
) -> Json[ImportResult]:
    """Open an import session for depots with an import profile."""
    return await transfer.open_profile_session(call, DEPOT, query, file, terms)


@router.get("/csv/session/{sessionId}/rows", operation_id="depot_listImportRows", errors="line")
async def list_rows(call: Calling, session_id: SessionId, query: ImportRowsQuery) -> Json[ImportRows]:
    """List the analysed rows of an import session."""
    return await transfer.list_rows(call, DEPOT, session_id, query)


@router.get(
    "/csv/session/{sessionId}/errors", operation_id="depot_exportImportErrors", streams=True, errors="line"
)
async def export_errors(call: Calling, session_id: SessionId) -> Stream:
    """Export the rows with errors as CSV."""
    return await transfer.export_errors(call, DEPOT, session_id)


@router.get(
    "/csv/session/{sessionId}/progress", operation_id="depot_followImport", streams=True, errors="line"
)
async def follow_progress(call: Calling, session_id: SessionId) -> Stream:
    """Follow an import session as server-sent events."""
    return await transfer.follow_progress(call, DEPOT, session_id)


@router.post(
    "/csv/session/{sessionId}/commit", operation_id="depot_commitImportSession", terms="terms", errors="line"
)
async def commit_session(call: Calling, session_id: SessionId, terms: KeyTerms) -> Json[CommitResult]:
    """Commit an import session."""
    return await transfer.commit_session(call, DEPOT, session_id, terms)


@router.delete("/csv/session/{sessionId}", operation_id="depot_discardImportSession", errors="line")
async def discard_session(call: Calling, session_id: SessionId) -> Json[None]:
    """Discard an import session."""
    return await transfer.discard_session(call, DEPOT, session_id)


@router.get("/schema", operation_id="depot_schema")
async def get_schema(call: Calling) -> Json[JsonSchema]:
    """Get the JSON Schema of a depot."""
    return await records.get_schema(call, DEPOT)


@router.get("/id/{id}", operation_id="depot_getById")
async def get_by_id(
    call: Calling, record_id: RecordId, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[Depot]:
    """Get a depot by id."""
    return await records.get_by_id(call, DEPOT, record_id, unless, expand)


@router.get("/refName/{refName}", operation_id="depot_getByRefName")
async def get_by_ref_name(
    call: Calling, ref_name: RefName, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[Depot]:
    """Get a depot by reference name."""
    return await records.get_by_ref_name(call, DEPOT, ref_name, unless, expand)


@router.post("", operation_id="depot_save", terms="terms", large_body=("CREATE", "UPDATE"))
async def save(call: Calling, body: DepotInput, terms: WriteTerms) -> Json[Depot]:
    """Insert or replace a depot."""
    return await records.save(call, DEPOT, body, terms)


@router.put("/set", operation_id="depot_setFields", terms="terms")
async def set_fields(call: Calling, query: SetQuery, terms: WriteTerms) -> Json[Depot]:
    """Set some fields of a depot."""
    return await records.set_fields(call, DEPOT, query, terms)


@router.patch("/id/{id}", operation_id="depot_patch", terms="terms", large_body=("UPDATE",))
async def patch(call: Calling, record_id: RecordId, body: MergePatch, terms: WriteTerms) -> Json[Depot]:
    """Change a depot with a merge patch."""
    return await records.patch(call, DEPOT, record_id, body, terms)


@router.post(
    "/bulk", operation_id="depot_bulk", terms="terms", large_body=("CREATE", "UPDATE", "DELETE"), is_bulk=True
)
async def run_bulk(call: Calling, body: Bulk, terms: BulkTerms) -> Json[BulkAnswer]:
    """Save or delete many depots."""
    return await records.run_bulk(call, DEPOT, body, terms)


@router.put("/bulk/set", operation_id="depot_bulkSet", terms="terms", large_body=("UPDATE",))
async def run_bulk_set(call: Calling, body: BulkSet, terms: BulkTerms) -> Json[BulkAnswer]:
    """Set the same fields of many depots."""
    return await records.run_bulk_set(call, DEPOT, body, terms)


@router.delete("/id/{id}", operation_id="depot_deleteById", terms="terms")
async def delete_by_id(call: Calling, record_id: RecordId, terms: WriteTerms) -> Json[None]:
    """Delete a depot."""
    return await records.delete_by_id(call, DEPOT, record_id, terms)
