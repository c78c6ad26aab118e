"""Routes of Product at /logistics/products, from specs/logistics/product.yaml. Written by the generator; do not edit."""

from generated.models.product import Product, ProductInput
from generated.record_types import PRODUCT
from runtime import records
from runtime.http import (
    Bulk,
    BulkAnswer,
    Calling,
    Count,
    CountQuery,
    EntityReference,
    FindBody,
    IfMatch,
    IfNoneMatch,
    Json,
    JsonSchema,
    ListQuery,
    Page,
    RecordId,
    RecordRouter,
    ReferenceQuery,
    RefName,
)

router = RecordRouter(area="logistics", prefix="/logistics/products", tags=["Product"])


@router.get("/list", operation_id="product_listRecords")
async def list_records(call: Calling, query: ListQuery) -> Json[Page[Product]]:
    """List products."""
    return await records.list_records(call, PRODUCT, query)


@router.post("/find", operation_id="product_find")
async def find_records(call: Calling, body: FindBody) -> Json[Page[Product]]:
    """Find products, asked for in a body."""
    return await records.find_records(call, PRODUCT, body)


@router.get("/entityref", operation_id="product_listReferences")
async def list_references(call: Calling, query: ReferenceQuery) -> Json[list[EntityReference]]:
    """List references to products."""
    return await records.list_references(call, PRODUCT, query)


@router.get("/count", operation_id="product_count")
async def count_records(call: Calling, query: CountQuery) -> Json[Count]:
    """Count products."""
    return await records.count_records(call, PRODUCT, query)


@router.get("/schema", operation_id="product_schema")
async def get_schema(call: Calling) -> Json[JsonSchema]:
    """The JSON Schema of a product."""
    return await records.get_schema(call, PRODUCT)


@router.get("/id/{id}", operation_id="product_getById")
async def get_by_id(call: Calling, record_id: RecordId, unless: IfNoneMatch = None) -> Json[Product]:
    """Get a product by id."""
    return await records.get_by_id(call, PRODUCT, record_id, unless)


@router.get("/refName/{refName}", operation_id="product_getByRefName")
async def get_by_ref_name(call: Calling, ref_name: RefName, unless: IfNoneMatch = None) -> Json[Product]:
    """Get a product by reference name."""
    return await records.get_by_ref_name(call, PRODUCT, ref_name, unless)


@router.post("", operation_id="product_save")
async def save(call: Calling, body: ProductInput, expected: IfMatch = None) -> Json[Product]:
    """Insert or replace a product."""
    return await records.save(call, PRODUCT, body, expected)


@router.post("/bulk", operation_id="product_bulk")
async def bulk(call: Calling, body: Bulk) -> Json[BulkAnswer]:
    """Save or delete many products."""
    return await records.bulk(call, PRODUCT, body)


@router.delete("/id/{id}", operation_id="product_deleteById")
async def delete_by_id(call: Calling, record_id: RecordId, expected: IfMatch = None) -> Json[None]:
    """Delete a product."""
    return await records.delete_by_id(call, PRODUCT, record_id, expected)
