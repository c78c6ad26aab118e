"""Routes of Order at /logistics/orders, from specs/logistics/order.yaml. Written by the generator; do not edit."""

from typing import Any

from generated.models.order import Order, OrderInput
from generated.record_types import ORDER
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

router = RecordRouter(area="logistics", prefix="/logistics/orders", records=ORDER, tags=["Order"])


@router.get("/list", operation_id="order_listRecords")
async def list_records(call: Calling, query: ListQuery) -> Json[Page[Order]]:
    """List orders."""
    return await records.list_records(call, ORDER, query)


@router.post("/find", operation_id="order_find", large_body=("VIEW",))
async def find_records(call: Calling, body: FindBody) -> Json[Page[Order]]:
    """Find orders with a JSON body."""
    return await records.find_records(call, ORDER, body)


@router.get("/entityref", operation_id="order_listReferences")
async def list_references(call: Calling, query: ReferenceQuery) -> Json[list[EntityReference]]:
    """List references to orders."""
    return await records.list_references(call, ORDER, query)


@router.get("/count", operation_id="order_count")
async def count_records(call: Calling, query: CountQuery) -> Json[Count]:
    """Count orders."""
    return await records.count_records(call, ORDER, query)


@router.get("/changes", operation_id="order_followChanges", watches=True)
async def follow_changes(
    call: Calling, query: ChangesQuery, last_event_id: LastEventId = None
) -> Stream | Json[Any]:
    """Follow the changes of orders."""
    return await events.follow_changes(call, ORDER, query, last_event_id)


@router.get("/csv", operation_id="order_exportCsv", streams=True, errors="line")
async def export_csv(call: Calling, query: ExportQuery) -> Stream:
    """Export orders as CSV."""
    return await transfer.export_csv(call, ORDER, query)


@router.post("/csv", operation_id="order_importCsv", terms="terms", upload="file", errors="line")
async def import_csv(call: Calling, query: ImportQuery, file: Upload, terms: KeyTerms) -> Json[ImportAnswer]:
    """Import orders from a CSV file."""
    return await transfer.import_csv(call, ORDER, query, file, terms)


@router.post(
    "/csv/session", operation_id="order_openImportSession", terms="terms", upload="file", errors="line"
)
async def open_session(
    call: Calling, query: ImportQuery, file: Upload, terms: KeyTerms
) -> Json[ImportResult]:
    """Open an import session for a CSV file of orders."""
    return await transfer.open_session(call, ORDER, query, file, terms)


@router.post(
    "/csv/session/profile",
    operation_id="order_openProfileSession",
    terms="terms",
    upload="file",
    errors="line",
)
async def open_profile_session(
    call: Calling, query: ProfileQuery, file: Upload, terms: KeyTerms
) -> Json[ImportResult]:
    """Open an import session for orders with an import profile."""
    return await transfer.open_profile_session(call, ORDER, query, file, terms)


@router.get("/csv/session/{sessionId}/rows", operation_id="order_listImportRows", errors="line")
async def list_rows(call: Calling, session_id: SessionId, query: ImportRowsQuery) -> Json[ImportRows]:
    """List the analysed rows of an import session."""
    return await transfer.list_rows(call, ORDER, session_id, query)


@router.get(
    "/csv/session/{sessionId}/errors", operation_id="order_exportImportErrors", streams=True, errors="line"
)
async def export_errors(call: Calling, session_id: SessionId) -> Stream:
    """Export the rows with errors as CSV."""
    return await transfer.export_errors(call, ORDER, session_id)


@router.get(
    "/csv/session/{sessionId}/progress", operation_id="order_followImport", streams=True, errors="line"
)
async def follow_progress(call: Calling, session_id: SessionId) -> Stream:
    """Follow an import session as server-sent events."""
    return await transfer.follow_progress(call, ORDER, session_id)


@router.post(
    "/csv/session/{sessionId}/commit", operation_id="order_commitImportSession", terms="terms", errors="line"
)
async def commit_session(call: Calling, session_id: SessionId, terms: KeyTerms) -> Json[CommitResult]:
    """Commit an import session."""
    return await transfer.commit_session(call, ORDER, session_id, terms)


@router.delete("/csv/session/{sessionId}", operation_id="order_discardImportSession", errors="line")
async def discard_session(call: Calling, session_id: SessionId) -> Json[None]:
    """Discard an import session."""
    return await transfer.discard_session(call, ORDER, session_id)


@router.get("/schema", operation_id="order_schema")
async def get_schema(call: Calling) -> Json[JsonSchema]:
    """Get the JSON Schema of an order."""
    return await records.get_schema(call, ORDER)


@router.get("/id/{id}", operation_id="order_getById")
async def get_by_id(
    call: Calling, record_id: RecordId, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[Order]:
    """Get an order by id."""
    return await records.get_by_id(call, ORDER, record_id, unless, expand)


@router.get("/refName/{refName}", operation_id="order_getByRefName")
async def get_by_ref_name(
    call: Calling, ref_name: RefName, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[Order]:
    """Get an order by reference name."""
    return await records.get_by_ref_name(call, ORDER, ref_name, unless, expand)


@router.get("/id/{id}/history", operation_id="order_getHistory")
async def get_history(call: Calling, record_id: RecordId, query: HistoryQuery) -> Json[RecordHistory]:
    """List the writes of an order, newest first."""
    return await records.get_history(call, ORDER, record_id, query)


@router.get("/states", operation_id="order_states")
async def get_states(call: Calling) -> Json[RecordStates]:
    """Get the state graphs of orders."""
    return await records.get_states(call, ORDER)


@router.get("/id/{id}/transitions", operation_id="order_transitions")
async def get_transitions(call: Calling, record_id: RecordId) -> Json[RecordTransitions]:
    """Get the allowed transitions of an order."""
    return await records.get_transitions(call, ORDER, record_id)


@router.post("", operation_id="order_save", terms="terms", large_body=("CREATE", "UPDATE"))
async def save(call: Calling, body: OrderInput, terms: WriteTerms) -> Json[Order]:
    """Insert or replace an order."""
    return await records.save(call, ORDER, body, terms)


@router.put("/set", operation_id="order_setFields", terms="terms")
async def set_fields(call: Calling, query: SetQuery, terms: WriteTerms) -> Json[Order]:
    """Set some fields of an order."""
    return await records.set_fields(call, ORDER, query, terms)


@router.patch("/id/{id}", operation_id="order_patch", terms="terms", large_body=("UPDATE",))
async def patch(call: Calling, record_id: RecordId, body: MergePatch, terms: WriteTerms) -> Json[Order]:
    """Change an order with a merge patch."""
    return await records.patch(call, ORDER, record_id, body, terms)


@router.post(
    "/bulk", operation_id="order_bulk", terms="terms", large_body=("CREATE", "UPDATE", "DELETE"), is_bulk=True
)
async def run_bulk(call: Calling, body: Bulk, terms: BulkTerms) -> Json[BulkAnswer]:
    """Save or delete many orders."""
    return await records.run_bulk(call, ORDER, body, terms)


@router.put("/bulk/set", operation_id="order_bulkSet", terms="terms", large_body=("UPDATE",))
async def run_bulk_set(call: Calling, body: BulkSet, terms: BulkTerms) -> Json[BulkAnswer]:
    """Set the same fields of many orders."""
    return await records.run_bulk_set(call, ORDER, body, terms)


@router.delete("/id/{id}", operation_id="order_deleteById", terms="terms")
async def delete_by_id(call: Calling, record_id: RecordId, terms: WriteTerms) -> Json[None]:
    """Delete an order."""
    return await records.delete_by_id(call, ORDER, record_id, terms)
