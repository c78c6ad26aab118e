"""Routes of Supplier at /logistics/suppliers, from specs/logistics/supplier.yaml. Written by the generator; do not edit."""

from generated.models.supplier import Supplier, SupplierInput
from generated.record_types import SUPPLIER
from runtime import ontology, records, transfer
from runtime.http import (
    Bulk,
    BulkAnswer,
    BulkSet,
    BulkTerms,
    Calling,
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

router = RecordRouter(area="logistics", prefix="/logistics/suppliers", records=SUPPLIER, tags=["Supplier"])


@router.get("/list", operation_id="supplier_listRecords")
async def list_records(call: Calling, query: ListQuery) -> Json[Page[Supplier]]:
    """List suppliers."""
    return await records.list_records(call, SUPPLIER, query)


@router.post("/find", operation_id="supplier_find", large_body=("VIEW",))
async def find_records(call: Calling, body: FindBody) -> Json[Page[Supplier]]:
    """Find suppliers with a JSON body."""
    return await records.find_records(call, SUPPLIER, body)


@router.get("/entityref", operation_id="supplier_listReferences")
async def list_references(call: Calling, query: ReferenceQuery) -> Json[list[EntityReference]]:
    """List references to suppliers."""
    return await records.list_references(call, SUPPLIER, query)


@router.get("/count", operation_id="supplier_count")
async def count_records(call: Calling, query: CountQuery) -> Json[Count]:
    """Count suppliers."""
    return await records.count_records(call, SUPPLIER, query)


@router.get("/csv", operation_id="supplier_exportCsv", streams=True, errors="line")
async def export_csv(call: Calling, query: ExportQuery) -> Stream:
    """Export suppliers as CSV."""
    return await transfer.export_csv(call, SUPPLIER, query)


@router.post("/csv", operation_id="supplier_importCsv", terms="terms", upload="file", errors="line")
async def import_csv(call: Calling, query: ImportQuery, file: Upload, terms: KeyTerms) -> Json[ImportAnswer]:
    """Import suppliers from a CSV file."""
    return await transfer.import_csv(call, SUPPLIER, query, file, terms)


@router.post(
    "/csv/session", operation_id="supplier_openImportSession", terms="terms", upload="file", errors="line"
)
async def open_session(
    call: Calling, query: ImportQuery, file: Upload, terms: KeyTerms
) -> Json[ImportResult]:
    """Open an import session for a CSV file of suppliers."""
    return await transfer.open_session(call, SUPPLIER, query, file, terms)


@router.post(
    "/csv/session/profile",
    operation_id="supplier_openProfileSession",
    terms="terms",
    upload="file",
    errors="line",
)
async def open_profile_session(
    call: Calling, query: ProfileQuery, file: Upload, terms: KeyTerms
) -> Json[ImportResult]:
    """Open an import session for suppliers with an import profile."""
    return await transfer.open_profile_session(call, SUPPLIER, query, file, terms)


@router.get("/csv/session/{sessionId}/rows", operation_id="supplier_listImportRows", errors="line")
async def list_rows(call: Calling, session_id: SessionId, query: ImportRowsQuery) -> Json[ImportRows]:
    """List the analysed rows of an import session."""
    return await transfer.list_rows(call, SUPPLIER, session_id, query)


@router.get(
    "/csv/session/{sessionId}/errors", operation_id="supplier_exportImportErrors", streams=True, errors="line"
)
async def export_errors(call: Calling, session_id: SessionId) -> Stream:
    """Export the rows with errors as CSV."""
    return await transfer.export_errors(call, SUPPLIER, session_id)


@router.get(
    "/csv/session/{sessionId}/progress", operation_id="supplier_followImport", streams=True, errors="line"
)
async def follow_progress(call: Calling, session_id: SessionId) -> Stream:
    """Follow an import session as server-sent events."""
    return await transfer.follow_progress(call, SUPPLIER, session_id)


@router.post(
    "/csv/session/{sessionId}/commit",
    operation_id="supplier_commitImportSession",
    terms="terms",
    errors="line",
)
async def commit_session(call: Calling, session_id: SessionId, terms: KeyTerms) -> Json[CommitResult]:
    """Commit an import session."""
    return await transfer.commit_session(call, SUPPLIER, session_id, terms)


@router.delete("/csv/session/{sessionId}", operation_id="supplier_discardImportSession", errors="line")
async def discard_session(call: Calling, session_id: SessionId) -> Json[None]:
    """Discard an import session."""
    return await transfer.discard_session(call, SUPPLIER, session_id)


@router.get("/schema", operation_id="supplier_schema")
async def get_schema(call: Calling) -> Json[JsonSchema]:
    """Get the JSON Schema of a supplier."""
    return await records.get_schema(call, SUPPLIER)


@router.get("/id/{id}", operation_id="supplier_getById")
async def get_by_id(
    call: Calling, record_id: RecordId, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[Supplier]:
    """Get a supplier by id."""
    return await records.get_by_id(call, SUPPLIER, record_id, unless, expand)


@router.get("/refName/{refName}", operation_id="supplier_getByRefName")
async def get_by_ref_name(
    call: Calling, ref_name: RefName, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[Supplier]:
    """Get a supplier by reference name."""
    return await records.get_by_ref_name(call, SUPPLIER, ref_name, unless, expand)


@router.get("/ontology", operation_id="supplier_listConnected")
async def list_connected(call: Calling, query: ConnectedQuery) -> Json[Page[Supplier]]:
    """List suppliers by what they are connected with."""
    return await ontology.list_connected(call, SUPPLIER, query)


@router.get("/id/{id}/ontology", operation_id="supplier_listEdges")
async def list_edges(call: Calling, record_id: RecordId, query: EdgeQuery) -> Json[EdgePage]:
    """List what a supplier is connected with."""
    return await ontology.list_edges(call, SUPPLIER, record_id, query)


@router.post("", operation_id="supplier_save", terms="terms", large_body=("CREATE", "UPDATE"))
async def save(call: Calling, body: SupplierInput, terms: WriteTerms) -> Json[Supplier]:
    """Insert or replace a supplier."""
    return await records.save(call, SUPPLIER, body, terms)


@router.put("/set", operation_id="supplier_setFields", terms="terms")
async def set_fields(call: Calling, query: SetQuery, terms: WriteTerms) -> Json[Supplier]:
    """Set some fields of a supplier."""
    return await records.set_fields(call, SUPPLIER, query, terms)


@router.patch("/id/{id}", operation_id="supplier_patch", terms="terms", large_body=("UPDATE",))
async def patch(call: Calling, record_id: RecordId, body: MergePatch, terms: WriteTerms) -> Json[Supplier]:
    """Change a supplier with a merge patch."""
    return await records.patch(call, SUPPLIER, record_id, body, terms)


@router.post(
    "/bulk",
    operation_id="supplier_bulk",
    terms="terms",
    large_body=("CREATE", "UPDATE", "DELETE"),
    is_bulk=True,
)
async def run_bulk(call: Calling, body: Bulk, terms: BulkTerms) -> Json[BulkAnswer]:
    """Save or delete many suppliers."""
    return await records.run_bulk(call, SUPPLIER, body, terms)


@router.put("/bulk/set", operation_id="supplier_bulkSet", terms="terms", large_body=("UPDATE",))
async def run_bulk_set(call: Calling, body: BulkSet, terms: BulkTerms) -> Json[BulkAnswer]:
    """Set the same fields of many suppliers."""
    return await records.run_bulk_set(call, SUPPLIER, body, terms)


@router.post("/id/{id}/restore", operation_id="supplier_restore", terms="terms")
async def restore(call: Calling, record_id: RecordId, terms: WriteTerms) -> Json[Supplier]:
    """Restore an archived supplier."""
    return await records.restore(call, SUPPLIER, record_id, terms)


@router.delete("/id/{id}", operation_id="supplier_deleteById", terms="terms")
async def delete_by_id(call: Calling, record_id: RecordId, terms: WriteTerms) -> Json[None]:
    """Delete a supplier."""
    return await records.delete_by_id(call, SUPPLIER, record_id, terms)
