"""Routes of Maker at /shop/who/makers, from specs/shop/maker.yaml. Written by the generator; do not edit."""

from typing import Any

from runtime import events, ontology, records, transfer
from runtime.http import (
    Bulk,
    BulkAnswer,
    BulkSet,
    BulkTerms,
    Calling,
    ChangesQuery,
    CommitResult,
    ConnectedQuery,
    Count,
    CountQuery,
    EdgePage,
    EdgeQuery,
    EntityReference,
    Expand,
    ExportQuery,
    FindBody,
    HistoryQuery,
    IfNoneMatch,
    ImportAnswer,
    ImportQuery,
    ImportResult,
    ImportRows,
    ImportRowsQuery,
    Json,
    JsonSchema,
    KeyTerms,
    LastEventId,
    ListQuery,
    MergePatch,
    Page,
    ProfileQuery,
    RecordHistory,
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
from sample_generated.models.maker import Maker, MakerInput
from sample_generated.record_types import MAKER

router = RecordRouter(area="shop", prefix="/shop/who/makers", records=MAKER, tags=["Maker"])


@router.get("/list", operation_id="maker_listRecords")
async def list_records(call: Calling, query: ListQuery) -> Json[Page[Maker]]:
    """List makers of things."""
    return await records.list_records(call, MAKER, query)


@router.post("/find", operation_id="maker_find", large_body=("VIEW",))
async def find_records(call: Calling, body: FindBody) -> Json[Page[Maker]]:
    """Find makers of things with a JSON body."""
    return await records.find_records(call, MAKER, body)


@router.get("/entityref", operation_id="maker_listReferences")
async def list_references(call: Calling, query: ReferenceQuery) -> Json[list[EntityReference]]:
    """List references to makers of things."""
    return await records.list_references(call, MAKER, query)


@router.get("/count", operation_id="maker_count")
async def count_records(call: Calling, query: CountQuery) -> Json[Count]:
    """Count makers of things."""
    return await records.count_records(call, MAKER, query)


@router.get("/changes", operation_id="maker_followChanges", watches=True)
async def follow_changes(
    call: Calling, query: ChangesQuery, last_event_id: LastEventId = None
) -> Stream | Json[Any]:
    """Follow the changes of makers of things."""
    return await events.follow_changes(call, MAKER, query, last_event_id)


@router.get("/csv", operation_id="maker_exportCsv", streams=True, errors="line")
async def export_csv(call: Calling, query: ExportQuery) -> Stream:
    """Export makers of things as CSV."""
    return await transfer.export_csv(call, MAKER, query)


@router.post("/csv", operation_id="maker_importCsv", terms="terms", upload="file", errors="line")
async def import_csv(call: Calling, query: ImportQuery, file: Upload, terms: KeyTerms) -> Json[ImportAnswer]:
    """Import makers of things from a CSV file."""
    return await transfer.import_csv(call, MAKER, query, file, terms)


@router.post(
    "/csv/session", operation_id="maker_openImportSession", terms="terms", upload="file", errors="line"
)
async def open_session(
    call: Calling, query: ImportQuery, file: Upload, terms: KeyTerms
) -> Json[ImportResult]:
    """Open an import session for a CSV file of makers of things."""
    return await transfer.open_session(call, MAKER, query, file, terms)


@router.post(
    "/csv/session/profile",
    operation_id="maker_openProfileSession",
    terms="terms",
    upload="file",
    errors="line",
)
async def open_profile_session(
    call: Calling, query: ProfileQuery, file: Upload, terms: KeyTerms
) -> Json[ImportResult]:
    """Open an import session for makers of things with an import profile."""
    return await transfer.open_profile_session(call, MAKER, query, file, terms)


@router.get("/csv/session/{sessionId}/rows", operation_id="maker_listImportRows", errors="line")
async def list_rows(call: Calling, session_id: SessionId, query: ImportRowsQuery) -> Json[ImportRows]:
    """List the analysed rows of an import session."""
    return await transfer.list_rows(call, MAKER, session_id, query)


@router.get(
    "/csv/session/{sessionId}/errors", operation_id="maker_exportImportErrors", streams=True, errors="line"
)
async def export_errors(call: Calling, session_id: SessionId) -> Stream:
    """Export the rows with errors as CSV."""
    return await transfer.export_errors(call, MAKER, session_id)


@router.get(
    "/csv/session/{sessionId}/progress", operation_id="maker_followImport", streams=True, errors="line"
)
async def follow_progress(call: Calling, session_id: SessionId) -> Stream:
    """Follow an import session as server-sent events."""
    return await transfer.follow_progress(call, MAKER, session_id)


@router.post(
    "/csv/session/{sessionId}/commit", operation_id="maker_commitImportSession", terms="terms", errors="line"
)
async def commit_session(call: Calling, session_id: SessionId, terms: KeyTerms) -> Json[CommitResult]:
    """Commit an import session."""
    return await transfer.commit_session(call, MAKER, session_id, terms)


@router.delete("/csv/session/{sessionId}", operation_id="maker_discardImportSession", errors="line")
async def discard_session(call: Calling, session_id: SessionId) -> Json[None]:
    """Discard an import session."""
    return await transfer.discard_session(call, MAKER, session_id)


@router.get("/schema", operation_id="maker_schema")
async def get_schema(call: Calling) -> Json[JsonSchema]:
    """Get the JSON Schema of a maker."""
    return await records.get_schema(call, MAKER)


@router.get("/id/{id}", operation_id="maker_getById")
async def get_by_id(
    call: Calling, record_id: RecordId, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[Maker]:
    """Get a maker by id."""
    return await records.get_by_id(call, MAKER, record_id, unless, expand)


@router.get("/refName/{refName}", operation_id="maker_getByRefName")
async def get_by_ref_name(
    call: Calling, ref_name: RefName, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[Maker]:
    """Get a maker by reference name."""
    return await records.get_by_ref_name(call, MAKER, ref_name, unless, expand)


@router.get("/id/{id}/history", operation_id="maker_getHistory")
async def get_history(call: Calling, record_id: RecordId, query: HistoryQuery) -> Json[RecordHistory]:
    """List the writes of a maker, newest first."""
    return await records.get_history(call, MAKER, record_id, query)


@router.get("/ontology", operation_id="maker_listConnected")
async def list_connected(call: Calling, query: ConnectedQuery) -> Json[Page[Maker]]:
    """List makers of things by what they are connected with."""
    return await ontology.list_connected(call, MAKER, query)


@router.get("/id/{id}/ontology", operation_id="maker_listEdges")
async def list_edges(call: Calling, record_id: RecordId, query: EdgeQuery) -> Json[EdgePage]:
    """List what a maker is connected with."""
    return await ontology.list_edges(call, MAKER, record_id, query)


@router.post("", operation_id="maker_save", terms="terms", large_body=("CREATE", "UPDATE"))
async def save(call: Calling, body: MakerInput, terms: WriteTerms) -> Json[Maker]:
    """Insert or replace a maker."""
    return await records.save(call, MAKER, body, terms)


@router.put("/set", operation_id="maker_setFields", terms="terms")
async def set_fields(call: Calling, query: SetQuery, terms: WriteTerms) -> Json[Maker]:
    """Set some fields of a maker."""
    return await records.set_fields(call, MAKER, query, terms)


@router.patch("/id/{id}", operation_id="maker_patch", terms="terms", large_body=("UPDATE",))
async def patch(call: Calling, record_id: RecordId, body: MergePatch, terms: WriteTerms) -> Json[Maker]:
    """Change a maker with a merge patch."""
    return await records.patch(call, MAKER, record_id, body, terms)


@router.post(
    "/bulk", operation_id="maker_bulk", terms="terms", large_body=("CREATE", "UPDATE", "DELETE"), is_bulk=True
)
async def run_bulk(call: Calling, body: Bulk, terms: BulkTerms) -> Json[BulkAnswer]:
    """Save or delete many makers of things."""
    return await records.run_bulk(call, MAKER, body, terms)


@router.put("/bulk/set", operation_id="maker_bulkSet", terms="terms", large_body=("UPDATE",))
async def run_bulk_set(call: Calling, body: BulkSet, terms: BulkTerms) -> Json[BulkAnswer]:
    """Set the same fields of many makers of things."""
    return await records.run_bulk_set(call, MAKER, body, terms)


@router.post("/id/{id}/restore", operation_id="maker_restore", terms="terms")
async def restore(call: Calling, record_id: RecordId, terms: WriteTerms) -> Json[Maker]:
    """Restore an archived maker."""
    return await records.restore(call, MAKER, record_id, terms)


@router.delete("/id/{id}", operation_id="maker_deleteById", terms="terms")
async def delete_by_id(call: Calling, record_id: RecordId, terms: WriteTerms) -> Json[None]:
    """Delete a maker."""
    return await records.delete_by_id(call, MAKER, record_id, terms)
