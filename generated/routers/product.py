"""Routes of Product at /logistics/products, from specs/logistics/product.yaml. Written by the generator; do not edit."""

from generated.models.product import Product, ProductInput
from generated.record_types import PRODUCT
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

router = RecordRouter(area="logistics", prefix="/logistics/products", records=PRODUCT, tags=["Product"])


@router.get("/list", operation_id="product_listRecords")
async def list_records(call: Calling, query: ListQuery) -> Json[Page[Product]]:
    """List products."""
    return await records.list_records(call, PRODUCT, query)


@router.post("/find", operation_id="product_find", large_body=("VIEW",))
async def find_records(call: Calling, body: FindBody) -> Json[Page[Product]]:
    """Find products with a JSON body."""
    return await records.find_records(call, PRODUCT, body)


@router.get("/entityref", operation_id="product_listReferences")
async def list_references(call: Calling, query: ReferenceQuery) -> Json[list[EntityReference]]:
    """List references to products."""
    return await records.list_references(call, PRODUCT, query)


@router.get("/count", operation_id="product_count")
async def count_records(call: Calling, query: CountQuery) -> Json[Count]:
    """Count products."""
    return await records.count_records(call, PRODUCT, query)


@router.get("/csv", operation_id="product_exportCsv", streams=True, errors="line")
async def export_csv(call: Calling, query: ExportQuery) -> Stream:
    """Export products as CSV."""
    return await transfer.export_csv(call, PRODUCT, query)


@router.post("/csv", operation_id="product_importCsv", terms="terms", upload="file", errors="line")
async def import_csv(call: Calling, query: ImportQuery, file: Upload, terms: KeyTerms) -> Json[ImportAnswer]:
    """Import products from a CSV file."""
    return await transfer.import_csv(call, PRODUCT, query, file, terms)


@router.post(
    "/csv/session", operation_id="product_openImportSession", terms="terms", upload="file", errors="line"
)
async def open_session(
    call: Calling, query: ImportQuery, file: Upload, terms: KeyTerms
) -> Json[ImportResult]:
    """Open an import session for a CSV file of products."""
    return await transfer.open_session(call, PRODUCT, query, file, terms)


@router.post(
    "/csv/session/profile",
    operation_id="product_openProfileSession",
    terms="terms",
    upload="file",
    errors="line",
)
async def open_profile_session(
    call: Calling, query: ProfileQuery, file: Upload, terms: KeyTerms
) -> Json[ImportResult]:
    """Open an import session for products with an import profile."""
    return await transfer.open_profile_session(call, PRODUCT, query, file, terms)


@router.get("/csv/session/{sessionId}/rows", operation_id="product_listImportRows", errors="line")
async def list_rows(call: Calling, session_id: SessionId, query: ImportRowsQuery) -> Json[ImportRows]:
    """List the analysed rows of an import session."""
    return await transfer.list_rows(call, PRODUCT, session_id, query)


@router.get(
    "/csv/session/{sessionId}/errors", operation_id="product_exportImportErrors", streams=True, errors="line"
)
async def export_errors(call: Calling, session_id: SessionId) -> Stream:
    """Export the rows with errors as CSV."""
    return await transfer.export_errors(call, PRODUCT, session_id)


@router.get(
    "/csv/session/{sessionId}/progress", operation_id="product_followImport", streams=True, errors="line"
)
async def follow_progress(call: Calling, session_id: SessionId) -> Stream:
    """Follow an import session as server-sent events."""
    return await transfer.follow_progress(call, PRODUCT, session_id)


@router.post(
    "/csv/session/{sessionId}/commit",
    operation_id="product_commitImportSession",
    terms="terms",
    errors="line",
)
async def commit_session(call: Calling, session_id: SessionId, terms: KeyTerms) -> Json[CommitResult]:
    """Commit an import session."""
    return await transfer.commit_session(call, PRODUCT, session_id, terms)


@router.delete("/csv/session/{sessionId}", operation_id="product_discardImportSession", errors="line")
async def discard_session(call: Calling, session_id: SessionId) -> Json[None]:
    """Discard an import session."""
    return await transfer.discard_session(call, PRODUCT, session_id)


@router.get("/schema", operation_id="product_schema")
async def get_schema(call: Calling) -> Json[JsonSchema]:
    """Get the JSON Schema of a product."""
    return await records.get_schema(call, PRODUCT)


@router.get("/id/{id}", operation_id="product_getById")
async def get_by_id(
    call: Calling, record_id: RecordId, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[Product]:
    """Get a product by id."""
    return await records.get_by_id(call, PRODUCT, record_id, unless, expand)


@router.get("/refName/{refName}", operation_id="product_getByRefName")
async def get_by_ref_name(
    call: Calling, ref_name: RefName, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[Product]:
    """Get a product by reference name."""
    return await records.get_by_ref_name(call, PRODUCT, ref_name, unless, expand)


@router.post("", operation_id="product_save", terms="terms", large_body=("CREATE", "UPDATE"))
async def save(call: Calling, body: ProductInput, terms: WriteTerms) -> Json[Product]:
    """Insert or replace a product."""
    return await records.save(call, PRODUCT, body, terms)


@router.put("/set", operation_id="product_setFields", terms="terms")
async def set_fields(call: Calling, query: SetQuery, terms: WriteTerms) -> Json[Product]:
    """Set some fields of a product."""
    return await records.set_fields(call, PRODUCT, query, terms)


@router.patch("/id/{id}", operation_id="product_patch", terms="terms", large_body=("UPDATE",))
async def patch(call: Calling, record_id: RecordId, body: MergePatch, terms: WriteTerms) -> Json[Product]:
    """Change a product with a merge patch."""
    return await records.patch(call, PRODUCT, record_id, body, terms)


@router.post(
    "/bulk",
    operation_id="product_bulk",
    terms="terms",
    large_body=("CREATE", "UPDATE", "DELETE"),
    is_bulk=True,
)
async def run_bulk(call: Calling, body: Bulk, terms: BulkTerms) -> Json[BulkAnswer]:
    """Save or delete many products."""
    return await records.run_bulk(call, PRODUCT, body, terms)


@router.put("/bulk/set", operation_id="product_bulkSet", terms="terms", large_body=("UPDATE",))
async def run_bulk_set(call: Calling, body: BulkSet, terms: BulkTerms) -> Json[BulkAnswer]:
    """Set the same fields of many products."""
    return await records.run_bulk_set(call, PRODUCT, body, terms)


@router.post("/id/{id}/restore", operation_id="product_restore", terms="terms")
async def restore(call: Calling, record_id: RecordId, terms: WriteTerms) -> Json[Product]:
    """Restore an archived product."""
    return await records.restore(call, PRODUCT, record_id, terms)


@router.delete("/id/{id}", operation_id="product_deleteById", terms="terms")
async def delete_by_id(call: Calling, record_id: RecordId, terms: WriteTerms) -> Json[None]:
    """Delete a product."""
    return await records.delete_by_id(call, PRODUCT, record_id, terms)
