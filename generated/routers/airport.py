"""Routes of Airport at /logistics/airports, from specs/logistics/airport.yaml. Written by the generator; do not edit."""

from generated.models.airport import Airport, AirportInput
from generated.record_types import AIRPORT
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

router = RecordRouter(area="logistics", prefix="/logistics/airports", records=AIRPORT, tags=["Airport"])


@router.get("/list", operation_id="airport_listRecords")
async def list_records(call: Calling, query: ListQuery) -> Json[Page[Airport]]:
    """List airports."""
    return await records.list_records(call, AIRPORT, query)


@router.post("/find", operation_id="airport_find", large_body=("VIEW",))
async def find_records(call: Calling, body: FindBody) -> Json[Page[Airport]]:
    """Find airports with a JSON body."""
    return await records.find_records(call, AIRPORT, body)


@router.get("/entityref", operation_id="airport_listReferences")
async def list_references(call: Calling, query: ReferenceQuery) -> Json[list[EntityReference]]:
    """List references to airports."""
    return await records.list_references(call, AIRPORT, query)


@router.get("/count", operation_id="airport_count")
async def count_records(call: Calling, query: CountQuery) -> Json[Count]:
    """Count airports."""
    return await records.count_records(call, AIRPORT, query)


@router.get("/csv", operation_id="airport_exportCsv", streams=True, errors="line")
async def export_csv(call: Calling, query: ExportQuery) -> Stream:
    """Export airports as CSV."""
    return await transfer.export_csv(call, AIRPORT, query)


@router.post("/csv", operation_id="airport_importCsv", terms="terms", upload="file", errors="line")
async def import_csv(call: Calling, query: ImportQuery, file: Upload, terms: KeyTerms) -> Json[ImportAnswer]:
    """Import airports from a CSV file."""
    return await transfer.import_csv(call, AIRPORT, query, file, terms)


@router.post(
    "/csv/session", operation_id="airport_openImportSession", terms="terms", upload="file", errors="line"
)
async def open_session(
    call: Calling, query: ImportQuery, file: Upload, terms: KeyTerms
) -> Json[ImportResult]:
    """Open an import session for a CSV file of airports."""
    return await transfer.open_session(call, AIRPORT, query, file, terms)


@router.post(
    "/csv/session/profile",
    operation_id="airport_openProfileSession",
    terms="terms",
    upload="file",
    errors="line",
)
async def open_profile_session(
    call: Calling, query: ProfileQuery, file: Upload, terms: KeyTerms
) -> Json[ImportResult]:
    """Open an import session for airports with an import profile."""
    return await transfer.open_profile_session(call, AIRPORT, query, file, terms)


@router.get("/csv/session/{sessionId}/rows", operation_id="airport_listImportRows", errors="line")
async def list_rows(call: Calling, session_id: SessionId, query: ImportRowsQuery) -> Json[ImportRows]:
    """List the analysed rows of an import session."""
    return await transfer.list_rows(call, AIRPORT, session_id, query)


@router.get(
    "/csv/session/{sessionId}/errors", operation_id="airport_exportImportErrors", streams=True, errors="line"
)
async def export_errors(call: Calling, session_id: SessionId) -> Stream:
    """Export the rows with errors as CSV."""
    return await transfer.export_errors(call, AIRPORT, session_id)


@router.get(
    "/csv/session/{sessionId}/progress", operation_id="airport_followImport", streams=True, errors="line"
)
async def follow_progress(call: Calling, session_id: SessionId) -> Stream:
    """Follow an import session as server-sent events."""
    return await transfer.follow_progress(call, AIRPORT, session_id)


@router.post(
    "/csv/session/{sessionId}/commit",
    operation_id="airport_commitImportSession",
    terms="terms",
    errors="line",
)
async def commit_session(call: Calling, session_id: SessionId, terms: KeyTerms) -> Json[CommitResult]:
    """Commit an import session."""
    return await transfer.commit_session(call, AIRPORT, session_id, terms)


@router.delete("/csv/session/{sessionId}", operation_id="airport_discardImportSession", errors="line")
async def discard_session(call: Calling, session_id: SessionId) -> Json[None]:
    """Discard an import session."""
    return await transfer.discard_session(call, AIRPORT, session_id)


@router.get("/schema", operation_id="airport_schema")
async def get_schema(call: Calling) -> Json[JsonSchema]:
    """Get the JSON Schema of an airport."""
    return await records.get_schema(call, AIRPORT)


@router.get("/id/{id}", operation_id="airport_getById")
async def get_by_id(
    call: Calling, record_id: RecordId, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[Airport]:
    """Get an airport by id."""
    return await records.get_by_id(call, AIRPORT, record_id, unless, expand)


@router.get("/refName/{refName}", operation_id="airport_getByRefName")
async def get_by_ref_name(
    call: Calling, ref_name: RefName, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[Airport]:
    """Get an airport by reference name."""
    return await records.get_by_ref_name(call, AIRPORT, ref_name, unless, expand)


@router.post("", operation_id="airport_save", terms="terms", large_body=("CREATE", "UPDATE"))
async def save(call: Calling, body: AirportInput, terms: WriteTerms) -> Json[Airport]:
    """Insert or replace an airport."""
    return await records.save(call, AIRPORT, body, terms)


@router.put("/set", operation_id="airport_setFields", terms="terms")
async def set_fields(call: Calling, query: SetQuery, terms: WriteTerms) -> Json[Airport]:
    """Set some fields of an airport."""
    return await records.set_fields(call, AIRPORT, query, terms)


@router.patch("/id/{id}", operation_id="airport_patch", terms="terms", large_body=("UPDATE",))
async def patch(call: Calling, record_id: RecordId, body: MergePatch, terms: WriteTerms) -> Json[Airport]:
    """Change an airport with a merge patch."""
    return await records.patch(call, AIRPORT, record_id, body, terms)


@router.post(
    "/bulk",
    operation_id="airport_bulk",
    terms="terms",
    large_body=("CREATE", "UPDATE", "DELETE"),
    is_bulk=True,
)
async def run_bulk(call: Calling, body: Bulk, terms: BulkTerms) -> Json[BulkAnswer]:
    """Save or delete many airports."""
    return await records.run_bulk(call, AIRPORT, body, terms)


@router.put("/bulk/set", operation_id="airport_bulkSet", terms="terms", large_body=("UPDATE",))
async def run_bulk_set(call: Calling, body: BulkSet, terms: BulkTerms) -> Json[BulkAnswer]:
    """Set the same fields of many airports."""
    return await records.run_bulk_set(call, AIRPORT, body, terms)


@router.delete("/id/{id}", operation_id="airport_deleteById", terms="terms")
async def delete_by_id(call: Calling, record_id: RecordId, terms: WriteTerms) -> Json[None]:
    """Delete an airport."""
    return await records.delete_by_id(call, AIRPORT, record_id, terms)
