"""Routes of Shipment at /logistics/shipments, from specs/logistics/shipment.yaml. Written by the generator; do not edit."""

from typing import Any

from generated.models.shipment import Shipment, ShipmentInput
from generated.record_types import SHIPMENT
from runtime import events, records, transfer
from runtime.http import (
    Bulk,
    BulkAnswer,
    BulkSet,
    BulkTerms,
    Calling,
    ChangesQuery,
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
    LastEventId,
    ListQuery,
    MergePatch,
    Page,
    ProfileQuery,
    RecordId,
    RecordRouter,
    RecordStates,
    RecordTransitions,
    ReferenceQuery,
    RefName,
    SessionId,
    SetQuery,
    Stream,
    Upload,
    WriteTerms,
)

router = RecordRouter(area="logistics", prefix="/logistics/shipments", records=SHIPMENT, tags=["Shipment"])


@router.get("/list", operation_id="shipment_listRecords")
async def list_records(call: Calling, query: ListQuery) -> Json[Page[Shipment]]:
    """List shipments."""
    return await records.list_records(call, SHIPMENT, query)


@router.post("/find", operation_id="shipment_find", large_body=("VIEW",))
async def find_records(call: Calling, body: FindBody) -> Json[Page[Shipment]]:
    """Find shipments with a JSON body."""
    return await records.find_records(call, SHIPMENT, body)


@router.get("/entityref", operation_id="shipment_listReferences")
async def list_references(call: Calling, query: ReferenceQuery) -> Json[list[EntityReference]]:
    """List references to shipments."""
    return await records.list_references(call, SHIPMENT, query)


@router.get("/count", operation_id="shipment_count")
async def count_records(call: Calling, query: CountQuery) -> Json[Count]:
    """Count shipments."""
    return await records.count_records(call, SHIPMENT, query)


@router.get("/changes", operation_id="shipment_followChanges", watches=True)
async def follow_changes(
    call: Calling, query: ChangesQuery, last_event_id: LastEventId = None
) -> Stream | Json[Any]:
    """Follow the changes of shipments."""
    return await events.follow_changes(call, SHIPMENT, query, last_event_id)


@router.get("/csv", operation_id="shipment_exportCsv", streams=True, errors="line")
async def export_csv(call: Calling, query: ExportQuery) -> Stream:
    """Export shipments as CSV."""
    return await transfer.export_csv(call, SHIPMENT, query)


@router.post("/csv", operation_id="shipment_importCsv", terms="terms", upload="file", errors="line")
async def import_csv(call: Calling, query: ImportQuery, file: Upload, terms: KeyTerms) -> Json[ImportAnswer]:
    """Import shipments from a CSV file."""
    return await transfer.import_csv(call, SHIPMENT, query, file, terms)


@router.post(
    "/csv/session", operation_id="shipment_openImportSession", terms="terms", upload="file", errors="line"
)
async def open_session(
    call: Calling, query: ImportQuery, file: Upload, terms: KeyTerms
) -> Json[ImportResult]:
    """Open an import session for a CSV file of shipments."""
    return await transfer.open_session(call, SHIPMENT, query, file, terms)


@router.post(
    "/csv/session/profile",
    operation_id="shipment_openProfileSession",
    terms="terms",
    upload="file",
    errors="line",
)
async def open_profile_session(
    call: Calling, query: ProfileQuery, file: Upload, terms: KeyTerms
) -> Json[ImportResult]:
    """Open an import session for shipments with an import profile."""
    return await transfer.open_profile_session(call, SHIPMENT, query, file, terms)


@router.get("/csv/session/{sessionId}/rows", operation_id="shipment_listImportRows", errors="line")
async def list_rows(call: Calling, session_id: SessionId, query: ImportRowsQuery) -> Json[ImportRows]:
    """List the analysed rows of an import session."""
    return await transfer.list_rows(call, SHIPMENT, session_id, query)


@router.get(
    "/csv/session/{sessionId}/errors", operation_id="shipment_exportImportErrors", streams=True, errors="line"
)
async def export_errors(call: Calling, session_id: SessionId) -> Stream:
    """Export the rows with errors as CSV."""
    return await transfer.export_errors(call, SHIPMENT, session_id)


@router.get(
    "/csv/session/{sessionId}/progress", operation_id="shipment_followImport", streams=True, errors="line"
)
async def follow_progress(call: Calling, session_id: SessionId) -> Stream:
    """Follow an import session as server-sent events."""
    return await transfer.follow_progress(call, SHIPMENT, session_id)


@router.post(
    "/csv/session/{sessionId}/commit",
    operation_id="shipment_commitImportSession",
    terms="terms",
    errors="line",
)
async def commit_session(call: Calling, session_id: SessionId, terms: KeyTerms) -> Json[CommitResult]:
    """Commit an import session."""
    return await transfer.commit_session(call, SHIPMENT, session_id, terms)


@router.delete("/csv/session/{sessionId}", operation_id="shipment_discardImportSession", errors="line")
async def discard_session(call: Calling, session_id: SessionId) -> Json[None]:
    """Discard an import session."""
    return await transfer.discard_session(call, SHIPMENT, session_id)


@router.get("/schema", operation_id="shipment_schema")
async def get_schema(call: Calling) -> Json[JsonSchema]:
    """Get the JSON Schema of a shipment."""
    return await records.get_schema(call, SHIPMENT)


@router.get("/id/{id}", operation_id="shipment_getById")
async def get_by_id(
    call: Calling, record_id: RecordId, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[Shipment]:
    """Get a shipment by id."""
    return await records.get_by_id(call, SHIPMENT, record_id, unless, expand)


@router.get("/refName/{refName}", operation_id="shipment_getByRefName")
async def get_by_ref_name(
    call: Calling, ref_name: RefName, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[Shipment]:
    """Get a shipment by reference name."""
    return await records.get_by_ref_name(call, SHIPMENT, ref_name, unless, expand)


@router.get("/states", operation_id="shipment_states")
async def get_states(call: Calling) -> Json[RecordStates]:
    """Get the state graphs of shipments."""
    return await records.get_states(call, SHIPMENT)


@router.get("/id/{id}/transitions", operation_id="shipment_transitions")
async def get_transitions(call: Calling, record_id: RecordId) -> Json[RecordTransitions]:
    """Get the allowed transitions of a shipment."""
    return await records.get_transitions(call, SHIPMENT, record_id)


@router.post("", operation_id="shipment_save", terms="terms", large_body=("CREATE", "UPDATE"))
async def save(call: Calling, body: ShipmentInput, terms: WriteTerms) -> Json[Shipment]:
    """Insert or replace a shipment."""
    return await records.save(call, SHIPMENT, body, terms)


@router.put("/set", operation_id="shipment_setFields", terms="terms")
async def set_fields(call: Calling, query: SetQuery, terms: WriteTerms) -> Json[Shipment]:
    """Set some fields of a shipment."""
    return await records.set_fields(call, SHIPMENT, query, terms)


@router.patch("/id/{id}", operation_id="shipment_patch", terms="terms", large_body=("UPDATE",))
async def patch(call: Calling, record_id: RecordId, body: MergePatch, terms: WriteTerms) -> Json[Shipment]:
    """Change a shipment with a merge patch."""
    return await records.patch(call, SHIPMENT, record_id, body, terms)


@router.post(
    "/bulk",
    operation_id="shipment_bulk",
    terms="terms",
    large_body=("CREATE", "UPDATE", "DELETE"),
    is_bulk=True,
)
async def run_bulk(call: Calling, body: Bulk, terms: BulkTerms) -> Json[BulkAnswer]:
    """Save or delete many shipments."""
    return await records.run_bulk(call, SHIPMENT, body, terms)


@router.put("/bulk/set", operation_id="shipment_bulkSet", terms="terms", large_body=("UPDATE",))
async def run_bulk_set(call: Calling, body: BulkSet, terms: BulkTerms) -> Json[BulkAnswer]:
    """Set the same fields of many shipments."""
    return await records.run_bulk_set(call, SHIPMENT, body, terms)


@router.delete("/id/{id}", operation_id="shipment_deleteById", terms="terms")
async def delete_by_id(call: Calling, record_id: RecordId, terms: WriteTerms) -> Json[None]:
    """Delete a shipment."""
    return await records.delete_by_id(call, SHIPMENT, record_id, terms)
