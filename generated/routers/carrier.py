"""Routes of Carrier at /logistics/carriers, from specs/logistics/carrier.yaml. Written by the generator; do not edit."""

from generated.models.carrier import Carrier, CarrierInput
from generated.record_types import CARRIER
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

router = RecordRouter(area="logistics", prefix="/logistics/carriers", records=CARRIER, tags=["Carrier"])


@router.get("/list", operation_id="carrier_listRecords")
async def list_records(call: Calling, query: ListQuery) -> Json[Page[Carrier]]:
    """List carriers."""
    return await records.list_records(call, CARRIER, query)


@router.post("/find", operation_id="carrier_find", large_body=("VIEW",))
async def find_records(call: Calling, body: FindBody) -> Json[Page[Carrier]]:
    """Find carriers with a JSON body."""
    return await records.find_records(call, CARRIER, body)


@router.get("/entityref", operation_id="carrier_listReferences")
async def list_references(call: Calling, query: ReferenceQuery) -> Json[list[EntityReference]]:
    """List references to carriers."""
    return await records.list_references(call, CARRIER, query)


@router.get("/count", operation_id="carrier_count")
async def count_records(call: Calling, query: CountQuery) -> Json[Count]:
    """Count carriers."""
    return await records.count_records(call, CARRIER, query)


@router.get("/csv", operation_id="carrier_exportCsv", streams=True, errors="line")
async def export_csv(call: Calling, query: ExportQuery) -> Stream:
    """Export carriers as CSV."""
    return await transfer.export_csv(call, CARRIER, query)


@router.post("/csv", operation_id="carrier_importCsv", terms="terms", upload="file", errors="line")
async def import_csv(call: Calling, query: ImportQuery, file: Upload, terms: KeyTerms) -> Json[ImportAnswer]:
    """Import carriers from a CSV file."""
    return await transfer.import_csv(call, CARRIER, query, file, terms)


@router.post(
    "/csv/session", operation_id="carrier_openImportSession", terms="terms", upload="file", errors="line"
)
async def open_session(
    call: Calling, query: ImportQuery, file: Upload, terms: KeyTerms
) -> Json[ImportResult]:
    """Open an import session for a CSV file of carriers."""
    return await transfer.open_session(call, CARRIER, query, file, terms)


@router.post(
    "/csv/session/profile",
    operation_id="carrier_openProfileSession",
    terms="terms",
    upload="file",
    errors="line",
)
async def open_profile_session(
    call: Calling, query: ProfileQuery, file: Upload, terms: KeyTerms
) -> Json[ImportResult]:
    """Open an import session for carriers with an import profile."""
    return await transfer.open_profile_session(call, CARRIER, query, file, terms)


@router.get("/csv/session/{sessionId}/rows", operation_id="carrier_listImportRows", errors="line")
async def list_rows(call: Calling, session_id: SessionId, query: ImportRowsQuery) -> Json[ImportRows]:
    """List the analysed rows of an import session."""
    return await transfer.list_rows(call, CARRIER, session_id, query)


@router.get(
    "/csv/session/{sessionId}/errors", operation_id="carrier_exportImportErrors", streams=True, errors="line"
)
async def export_errors(call: Calling, session_id: SessionId) -> Stream:
    """Export the rows with errors as CSV."""
    return await transfer.export_errors(call, CARRIER, session_id)


@router.get(
    "/csv/session/{sessionId}/progress", operation_id="carrier_followImport", streams=True, errors="line"
)
async def follow_progress(call: Calling, session_id: SessionId) -> Stream:
    """Follow an import session as server-sent events."""
    return await transfer.follow_progress(call, CARRIER, session_id)


@router.post(
    "/csv/session/{sessionId}/commit",
    operation_id="carrier_commitImportSession",
    terms="terms",
    errors="line",
)
async def commit_session(call: Calling, session_id: SessionId, terms: KeyTerms) -> Json[CommitResult]:
    """Commit an import session."""
    return await transfer.commit_session(call, CARRIER, session_id, terms)


@router.delete("/csv/session/{sessionId}", operation_id="carrier_discardImportSession", errors="line")
async def discard_session(call: Calling, session_id: SessionId) -> Json[None]:
    """Discard an import session."""
    return await transfer.discard_session(call, CARRIER, session_id)


@router.get("/schema", operation_id="carrier_schema")
async def get_schema(call: Calling) -> Json[JsonSchema]:
    """Get the JSON Schema of a carrier."""
    return await records.get_schema(call, CARRIER)


@router.get("/id/{id}", operation_id="carrier_getById")
async def get_by_id(
    call: Calling, record_id: RecordId, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[Carrier]:
    """Get a carrier by id."""
    return await records.get_by_id(call, CARRIER, record_id, unless, expand)


@router.get("/refName/{refName}", operation_id="carrier_getByRefName")
async def get_by_ref_name(
    call: Calling, ref_name: RefName, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[Carrier]:
    """Get a carrier by reference name."""
    return await records.get_by_ref_name(call, CARRIER, ref_name, unless, expand)


@router.post("", operation_id="carrier_save", terms="terms", large_body=("CREATE", "UPDATE"))
async def save(call: Calling, body: CarrierInput, terms: WriteTerms) -> Json[Carrier]:
    """Insert or replace a carrier."""
    return await records.save(call, CARRIER, body, terms)


@router.put("/set", operation_id="carrier_setFields", terms="terms")
async def set_fields(call: Calling, query: SetQuery, terms: WriteTerms) -> Json[Carrier]:
    """Set some fields of a carrier."""
    return await records.set_fields(call, CARRIER, query, terms)


@router.patch("/id/{id}", operation_id="carrier_patch", terms="terms", large_body=("UPDATE",))
async def patch(call: Calling, record_id: RecordId, body: MergePatch, terms: WriteTerms) -> Json[Carrier]:
    """Change a carrier with a merge patch."""
    return await records.patch(call, CARRIER, record_id, body, terms)


@router.post(
    "/bulk",
    operation_id="carrier_bulk",
    terms="terms",
    large_body=("CREATE", "UPDATE", "DELETE"),
    is_bulk=True,
)
async def run_bulk(call: Calling, body: Bulk, terms: BulkTerms) -> Json[BulkAnswer]:
    """Save or delete many carriers."""
    return await records.run_bulk(call, CARRIER, body, terms)


@router.put("/bulk/set", operation_id="carrier_bulkSet", terms="terms", large_body=("UPDATE",))
async def run_bulk_set(call: Calling, body: BulkSet, terms: BulkTerms) -> Json[BulkAnswer]:
    """Set the same fields of many carriers."""
    return await records.run_bulk_set(call, CARRIER, body, terms)


@router.delete("/id/{id}", operation_id="carrier_deleteById", terms="terms")
async def delete_by_id(call: Calling, record_id: RecordId, terms: WriteTerms) -> Json[None]:
    """Delete a carrier."""
    return await records.delete_by_id(call, CARRIER, record_id, terms)
