"""Routes of Customer at /logistics/customers, from specs/logistics/customer.yaml. Written by the generator; do not edit."""

from generated.models.customer import Customer, CustomerInput
from generated.record_types import CUSTOMER
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

router = RecordRouter(area="logistics", prefix="/logistics/customers", records=CUSTOMER, tags=["Customer"])


@router.get("/list", operation_id="customer_listRecords")
async def list_records(call: Calling, query: ListQuery) -> Json[Page[Customer]]:
    """List customers."""
    return await records.list_records(call, CUSTOMER, query)


@router.post("/find", operation_id="customer_find", large_body=("VIEW",))
async def find_records(call: Calling, body: FindBody) -> Json[Page[Customer]]:
    """Find customers with a JSON body."""
    return await records.find_records(call, CUSTOMER, body)


@router.get("/entityref", operation_id="customer_listReferences")
async def list_references(call: Calling, query: ReferenceQuery) -> Json[list[EntityReference]]:
    """List references to customers."""
    return await records.list_references(call, CUSTOMER, query)


@router.get("/count", operation_id="customer_count")
async def count_records(call: Calling, query: CountQuery) -> Json[Count]:
    """Count customers."""
    return await records.count_records(call, CUSTOMER, query)


@router.get("/csv", operation_id="customer_exportCsv", streams=True, errors="line")
async def export_csv(call: Calling, query: ExportQuery) -> Stream:
    """Export customers as CSV."""
    return await transfer.export_csv(call, CUSTOMER, query)


@router.post("/csv", operation_id="customer_importCsv", terms="terms", upload="file", errors="line")
async def import_csv(call: Calling, query: ImportQuery, file: Upload, terms: KeyTerms) -> Json[ImportAnswer]:
    """Import customers from a CSV file."""
    return await transfer.import_csv(call, CUSTOMER, query, file, terms)


@router.post(
    "/csv/session", operation_id="customer_openImportSession", terms="terms", upload="file", errors="line"
)
async def open_session(
    call: Calling, query: ImportQuery, file: Upload, terms: KeyTerms
) -> Json[ImportResult]:
    """Open an import session for a CSV file of customers."""
    return await transfer.open_session(call, CUSTOMER, query, file, terms)


@router.post(
    "/csv/session/profile",
    operation_id="customer_openProfileSession",
    terms="terms",
    upload="file",
    errors="line",
)
async def open_profile_session(
    call: Calling, query: ProfileQuery, file: Upload, terms: KeyTerms
) -> Json[ImportResult]:
    """Open an import session for customers with an import profile."""
    return await transfer.open_profile_session(call, CUSTOMER, query, file, terms)


@router.get("/csv/session/{sessionId}/rows", operation_id="customer_listImportRows", errors="line")
async def list_rows(call: Calling, session_id: SessionId, query: ImportRowsQuery) -> Json[ImportRows]:
    """List the analysed rows of an import session."""
    return await transfer.list_rows(call, CUSTOMER, session_id, query)


@router.get(
    "/csv/session/{sessionId}/errors", operation_id="customer_exportImportErrors", streams=True, errors="line"
)
async def export_errors(call: Calling, session_id: SessionId) -> Stream:
    """Export the rows with errors as CSV."""
    return await transfer.export_errors(call, CUSTOMER, session_id)


@router.get(
    "/csv/session/{sessionId}/progress", operation_id="customer_followImport", streams=True, errors="line"
)
async def follow_progress(call: Calling, session_id: SessionId) -> Stream:
    """Follow an import session as server-sent events."""
    return await transfer.follow_progress(call, CUSTOMER, session_id)


@router.post(
    "/csv/session/{sessionId}/commit",
    operation_id="customer_commitImportSession",
    terms="terms",
    errors="line",
)
async def commit_session(call: Calling, session_id: SessionId, terms: KeyTerms) -> Json[CommitResult]:
    """Commit an import session."""
    return await transfer.commit_session(call, CUSTOMER, session_id, terms)


@router.delete("/csv/session/{sessionId}", operation_id="customer_discardImportSession", errors="line")
async def discard_session(call: Calling, session_id: SessionId) -> Json[None]:
    """Discard an import session."""
    return await transfer.discard_session(call, CUSTOMER, session_id)


@router.get("/schema", operation_id="customer_schema")
async def get_schema(call: Calling) -> Json[JsonSchema]:
    """Get the JSON Schema of a customer."""
    return await records.get_schema(call, CUSTOMER)


@router.get("/id/{id}", operation_id="customer_getById")
async def get_by_id(
    call: Calling, record_id: RecordId, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[Customer]:
    """Get a customer by id."""
    return await records.get_by_id(call, CUSTOMER, record_id, unless, expand)


@router.get("/refName/{refName}", operation_id="customer_getByRefName")
async def get_by_ref_name(
    call: Calling, ref_name: RefName, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[Customer]:
    """Get a customer by reference name."""
    return await records.get_by_ref_name(call, CUSTOMER, ref_name, unless, expand)


@router.post("", operation_id="customer_save", terms="terms", large_body=("CREATE", "UPDATE"))
async def save(call: Calling, body: CustomerInput, terms: WriteTerms) -> Json[Customer]:
    """Insert or replace a customer."""
    return await records.save(call, CUSTOMER, body, terms)


@router.put("/set", operation_id="customer_setFields", terms="terms")
async def set_fields(call: Calling, query: SetQuery, terms: WriteTerms) -> Json[Customer]:
    """Set some fields of a customer."""
    return await records.set_fields(call, CUSTOMER, query, terms)


@router.patch("/id/{id}", operation_id="customer_patch", terms="terms", large_body=("UPDATE",))
async def patch(call: Calling, record_id: RecordId, body: MergePatch, terms: WriteTerms) -> Json[Customer]:
    """Change a customer with a merge patch."""
    return await records.patch(call, CUSTOMER, record_id, body, terms)


@router.post(
    "/bulk",
    operation_id="customer_bulk",
    terms="terms",
    large_body=("CREATE", "UPDATE", "DELETE"),
    is_bulk=True,
)
async def run_bulk(call: Calling, body: Bulk, terms: BulkTerms) -> Json[BulkAnswer]:
    """Save or delete many customers."""
    return await records.run_bulk(call, CUSTOMER, body, terms)


@router.put("/bulk/set", operation_id="customer_bulkSet", terms="terms", large_body=("UPDATE",))
async def run_bulk_set(call: Calling, body: BulkSet, terms: BulkTerms) -> Json[BulkAnswer]:
    """Set the same fields of many customers."""
    return await records.run_bulk_set(call, CUSTOMER, body, terms)


@router.delete("/id/{id}", operation_id="customer_deleteById", terms="terms")
async def delete_by_id(call: Calling, record_id: RecordId, terms: WriteTerms) -> Json[None]:
    """Delete a customer."""
    return await records.delete_by_id(call, CUSTOMER, record_id, terms)
