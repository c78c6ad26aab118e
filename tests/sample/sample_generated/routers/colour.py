"""Routes of Colour at /shop/colours, from specs/shop/colour.yaml. Written by the generator; do not edit."""

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
from sample_generated.models.colour import Colour, ColourInput
from sample_generated.record_types import COLOUR

router = RecordRouter(area="shop", prefix="/shop/colours", records=COLOUR, tags=["Colour"])


@router.get("/list", operation_id="colour_listRecords")
async def list_records(call: Calling, query: ListQuery) -> Json[Page[Colour]]:
    """List colours."""
    return await records.list_records(call, COLOUR, query)


@router.post("/find", operation_id="colour_find", large_body=("VIEW",))
async def find_records(call: Calling, body: FindBody) -> Json[Page[Colour]]:
    """Find colours with a JSON body."""
    return await records.find_records(call, COLOUR, body)


@router.get("/entityref", operation_id="colour_listReferences")
async def list_references(call: Calling, query: ReferenceQuery) -> Json[list[EntityReference]]:
    """List references to colours."""
    return await records.list_references(call, COLOUR, query)


@router.get("/count", operation_id="colour_count")
async def count_records(call: Calling, query: CountQuery) -> Json[Count]:
    """Count colours."""
    return await records.count_records(call, COLOUR, query)


@router.get("/csv", operation_id="colour_exportCsv", streams=True, errors="line")
async def export_csv(call: Calling, query: ExportQuery) -> Stream:
    """Export colours as CSV."""
    return await transfer.export_csv(call, COLOUR, query)


@router.post("/csv", operation_id="colour_importCsv", terms="terms", upload="file", errors="line")
async def import_csv(call: Calling, query: ImportQuery, file: Upload, terms: KeyTerms) -> Json[ImportAnswer]:
    """Import colours from a CSV file."""
    return await transfer.import_csv(call, COLOUR, query, file, terms)


@router.post(
    "/csv/session", operation_id="colour_openImportSession", terms="terms", upload="file", errors="line"
)
async def open_session(
    call: Calling, query: ImportQuery, file: Upload, terms: KeyTerms
) -> Json[ImportResult]:
    """Open an import session for a CSV file of colours."""
    return await transfer.open_session(call, COLOUR, query, file, terms)


@router.post(
    "/csv/session/profile",
    operation_id="colour_openProfileSession",
    terms="terms",
    upload="file",
    errors="line",
)
async def open_profile_session(
    call: Calling, query: ProfileQuery, file: Upload, terms: KeyTerms
) -> Json[ImportResult]:
    """Open an import session for colours with an import profile."""
    return await transfer.open_profile_session(call, COLOUR, query, file, terms)


@router.get("/csv/session/{sessionId}/rows", operation_id="colour_listImportRows", errors="line")
async def list_rows(call: Calling, session_id: SessionId, query: ImportRowsQuery) -> Json[ImportRows]:
    """List the analysed rows of an import session."""
    return await transfer.list_rows(call, COLOUR, session_id, query)


@router.get(
    "/csv/session/{sessionId}/errors", operation_id="colour_exportImportErrors", streams=True, errors="line"
)
async def export_errors(call: Calling, session_id: SessionId) -> Stream:
    """Export the rows with errors as CSV."""
    return await transfer.export_errors(call, COLOUR, session_id)


@router.get(
    "/csv/session/{sessionId}/progress", operation_id="colour_followImport", streams=True, errors="line"
)
async def follow_progress(call: Calling, session_id: SessionId) -> Stream:
    """Follow an import session as server-sent events."""
    return await transfer.follow_progress(call, COLOUR, session_id)


@router.post(
    "/csv/session/{sessionId}/commit", operation_id="colour_commitImportSession", terms="terms", errors="line"
)
async def commit_session(call: Calling, session_id: SessionId, terms: KeyTerms) -> Json[CommitResult]:
    """Commit an import session."""
    return await transfer.commit_session(call, COLOUR, session_id, terms)


@router.delete("/csv/session/{sessionId}", operation_id="colour_discardImportSession", errors="line")
async def discard_session(call: Calling, session_id: SessionId) -> Json[None]:
    """Discard an import session."""
    return await transfer.discard_session(call, COLOUR, session_id)


@router.get("/schema", operation_id="colour_schema")
async def get_schema(call: Calling) -> Json[JsonSchema]:
    """Get the JSON Schema of a colour."""
    return await records.get_schema(call, COLOUR)


@router.get("/id/{id}", operation_id="colour_getById")
async def get_by_id(
    call: Calling, record_id: RecordId, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[Colour]:
    """Get a colour by id."""
    return await records.get_by_id(call, COLOUR, record_id, unless, expand)


@router.get("/refName/{refName}", operation_id="colour_getByRefName")
async def get_by_ref_name(
    call: Calling, ref_name: RefName, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[Colour]:
    """Get a colour by reference name."""
    return await records.get_by_ref_name(call, COLOUR, ref_name, unless, expand)


@router.post("", operation_id="colour_save", terms="terms", large_body=("CREATE", "UPDATE"))
async def save(call: Calling, body: ColourInput, terms: WriteTerms) -> Json[Colour]:
    """Insert or replace a colour."""
    return await records.save(call, COLOUR, body, terms)


@router.put("/set", operation_id="colour_setFields", terms="terms")
async def set_fields(call: Calling, query: SetQuery, terms: WriteTerms) -> Json[Colour]:
    """Set some fields of a colour."""
    return await records.set_fields(call, COLOUR, query, terms)


@router.patch("/id/{id}", operation_id="colour_patch", terms="terms", large_body=("UPDATE",))
async def patch(call: Calling, record_id: RecordId, body: MergePatch, terms: WriteTerms) -> Json[Colour]:
    """Change a colour with a merge patch."""
    return await records.patch(call, COLOUR, record_id, body, terms)


@router.post(
    "/bulk",
    operation_id="colour_bulk",
    terms="terms",
    large_body=("CREATE", "UPDATE", "DELETE"),
    is_bulk=True,
)
async def run_bulk(call: Calling, body: Bulk, terms: BulkTerms) -> Json[BulkAnswer]:
    """Save or delete many colours."""
    return await records.run_bulk(call, COLOUR, body, terms)


@router.put("/bulk/set", operation_id="colour_bulkSet", terms="terms", large_body=("UPDATE",))
async def run_bulk_set(call: Calling, body: BulkSet, terms: BulkTerms) -> Json[BulkAnswer]:
    """Set the same fields of many colours."""
    return await records.run_bulk_set(call, COLOUR, body, terms)


@router.delete("/id/{id}", operation_id="colour_deleteById", terms="terms")
async def delete_by_id(call: Calling, record_id: RecordId, terms: WriteTerms) -> Json[None]:
    """Delete a colour."""
    return await records.delete_by_id(call, COLOUR, record_id, terms)
