"""Routes of Country at /logistics/countries, from specs/logistics/country.yaml. Written by the generator; do not edit."""

from generated.models.country import Country, CountryInput
from generated.record_types import COUNTRY
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

router = RecordRouter(area="logistics", prefix="/logistics/countries", records=COUNTRY, tags=["Country"])


@router.get("/list", operation_id="country_listRecords")
async def list_records(call: Calling, query: ListQuery) -> Json[Page[Country]]:
    """List countries."""
    return await records.list_records(call, COUNTRY, query)


@router.post("/find", operation_id="country_find", large_body=("VIEW",))
async def find_records(call: Calling, body: FindBody) -> Json[Page[Country]]:
    """Find countries with a JSON body."""
    return await records.find_records(call, COUNTRY, body)


@router.get("/entityref", operation_id="country_listReferences")
async def list_references(call: Calling, query: ReferenceQuery) -> Json[list[EntityReference]]:
    """List references to countries."""
    return await records.list_references(call, COUNTRY, query)


@router.get("/count", operation_id="country_count")
async def count_records(call: Calling, query: CountQuery) -> Json[Count]:
    """Count countries."""
    return await records.count_records(call, COUNTRY, query)


@router.get("/csv", operation_id="country_exportCsv", streams=True, errors="line")
async def export_csv(call: Calling, query: ExportQuery) -> Stream:
    """Export countries as CSV."""
    return await transfer.export_csv(call, COUNTRY, query)


@router.post("/csv", operation_id="country_importCsv", terms="terms", upload="file", errors="line")
async def import_csv(call: Calling, query: ImportQuery, file: Upload, terms: KeyTerms) -> Json[ImportAnswer]:
    """Import countries from a CSV file."""
    return await transfer.import_csv(call, COUNTRY, query, file, terms)


@router.post(
    "/csv/session", operation_id="country_openImportSession", terms="terms", upload="file", errors="line"
)
async def open_session(
    call: Calling, query: ImportQuery, file: Upload, terms: KeyTerms
) -> Json[ImportResult]:
    """Open an import session for a CSV file of countries."""
    return await transfer.open_session(call, COUNTRY, query, file, terms)


@router.post(
    "/csv/session/profile",
    operation_id="country_openProfileSession",
    terms="terms",
    upload="file",
    errors="line",
)
async def open_profile_session(
    call: Calling, query: ProfileQuery, file: Upload, terms: KeyTerms
) -> Json[ImportResult]:
    """Open an import session for countries with an import profile."""
    return await transfer.open_profile_session(call, COUNTRY, query, file, terms)


@router.get("/csv/session/{sessionId}/rows", operation_id="country_listImportRows", errors="line")
async def list_rows(call: Calling, session_id: SessionId, query: ImportRowsQuery) -> Json[ImportRows]:
    """List the analysed rows of an import session."""
    return await transfer.list_rows(call, COUNTRY, session_id, query)


@router.get(
    "/csv/session/{sessionId}/errors", operation_id="country_exportImportErrors", streams=True, errors="line"
)
async def export_errors(call: Calling, session_id: SessionId) -> Stream:
    """Export the rows with errors as CSV."""
    return await transfer.export_errors(call, COUNTRY, session_id)


@router.get(
    "/csv/session/{sessionId}/progress", operation_id="country_followImport", streams=True, errors="line"
)
async def follow_progress(call: Calling, session_id: SessionId) -> Stream:
    """Follow an import session as server-sent events."""
    return await transfer.follow_progress(call, COUNTRY, session_id)


@router.post(
    "/csv/session/{sessionId}/commit",
    operation_id="country_commitImportSession",
    terms="terms",
    errors="line",
)
async def commit_session(call: Calling, session_id: SessionId, terms: KeyTerms) -> Json[CommitResult]:
    """Commit an import session."""
    return await transfer.commit_session(call, COUNTRY, session_id, terms)


@router.delete("/csv/session/{sessionId}", operation_id="country_discardImportSession", errors="line")
async def discard_session(call: Calling, session_id: SessionId) -> Json[None]:
    """Discard an import session."""
    return await transfer.discard_session(call, COUNTRY, session_id)


@router.get("/schema", operation_id="country_schema")
async def get_schema(call: Calling) -> Json[JsonSchema]:
    """Get the JSON Schema of a country."""
    return await records.get_schema(call, COUNTRY)


@router.get("/id/{id}", operation_id="country_getById")
async def get_by_id(
    call: Calling, record_id: RecordId, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[Country]:
    """Get a country by id."""
    return await records.get_by_id(call, COUNTRY, record_id, unless, expand)


@router.get("/refName/{refName}", operation_id="country_getByRefName")
async def get_by_ref_name(
    call: Calling, ref_name: RefName, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[Country]:
    """Get a country by reference name."""
    return await records.get_by_ref_name(call, COUNTRY, ref_name, unless, expand)


@router.post("", operation_id="country_save", terms="terms", large_body=("CREATE", "UPDATE"))
async def save(call: Calling, body: CountryInput, terms: WriteTerms) -> Json[Country]:
    """Insert or replace a country."""
    return await records.save(call, COUNTRY, body, terms)


@router.put("/set", operation_id="country_setFields", terms="terms")
async def set_fields(call: Calling, query: SetQuery, terms: WriteTerms) -> Json[Country]:
    """Set some fields of a country."""
    return await records.set_fields(call, COUNTRY, query, terms)


@router.patch("/id/{id}", operation_id="country_patch", terms="terms", large_body=("UPDATE",))
async def patch(call: Calling, record_id: RecordId, body: MergePatch, terms: WriteTerms) -> Json[Country]:
    """Change a country with a merge patch."""
    return await records.patch(call, COUNTRY, record_id, body, terms)


@router.post(
    "/bulk",
    operation_id="country_bulk",
    terms="terms",
    large_body=("CREATE", "UPDATE", "DELETE"),
    is_bulk=True,
)
async def run_bulk(call: Calling, body: Bulk, terms: BulkTerms) -> Json[BulkAnswer]:
    """Save or delete many countries."""
    return await records.run_bulk(call, COUNTRY, body, terms)


@router.put("/bulk/set", operation_id="country_bulkSet", terms="terms", large_body=("UPDATE",))
async def run_bulk_set(call: Calling, body: BulkSet, terms: BulkTerms) -> Json[BulkAnswer]:
    """Set the same fields of many countries."""
    return await records.run_bulk_set(call, COUNTRY, body, terms)


@router.delete("/id/{id}", operation_id="country_deleteById", terms="terms")
async def delete_by_id(call: Calling, record_id: RecordId, terms: WriteTerms) -> Json[None]:
    """Delete a country."""
    return await records.delete_by_id(call, COUNTRY, record_id, terms)
