"""Routes of Order at /logistics/orders, from specs/logistics/order.yaml. Written by the generator; do not edit."""

from generated.models.order import Order, OrderInput
from generated.record_types import ORDER
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

router = RecordRouter(area="logistics", prefix="/logistics/orders", tags=["Order"])


@router.get("/list", operation_id="order_listRecords")
async def list_records(call: Calling, query: ListQuery) -> Json[Page[Order]]:
    """List orders."""
    return await records.list_records(call, ORDER, query)


@router.post("/find", operation_id="order_find")
async def find_records(call: Calling, body: FindBody) -> Json[Page[Order]]:
    """Find orders, asked for in a body."""
    return await records.find_records(call, ORDER, body)


@router.get("/entityref", operation_id="order_listReferences")
async def list_references(call: Calling, query: ReferenceQuery) -> Json[list[EntityReference]]:
    """List references to orders."""
    return await records.list_references(call, ORDER, query)


@router.get("/count", operation_id="order_count")
async def count_records(call: Calling, query: CountQuery) -> Json[Count]:
    """Count orders."""
    return await records.count_records(call, ORDER, query)


@router.get("/schema", operation_id="order_schema")
async def get_schema(call: Calling) -> Json[JsonSchema]:
    """The JSON Schema of an order."""
    return await records.get_schema(call, ORDER)


@router.get("/id/{id}", operation_id="order_getById")
async def get_by_id(call: Calling, record_id: RecordId, unless: IfNoneMatch = None) -> Json[Order]:
    """Get an order by id."""
    return await records.get_by_id(call, ORDER, record_id, unless)


@router.get("/refName/{refName}", operation_id="order_getByRefName")
async def get_by_ref_name(call: Calling, ref_name: RefName, unless: IfNoneMatch = None) -> Json[Order]:
    """Get an order by reference name."""
    return await records.get_by_ref_name(call, ORDER, ref_name, unless)


@router.post("", operation_id="order_save")
async def save(call: Calling, body: OrderInput, expected: IfMatch = None) -> Json[Order]:
    """Insert or replace an order."""
    return await records.save(call, ORDER, body, expected)


@router.post("/bulk", operation_id="order_bulk")
async def bulk(call: Calling, body: Bulk) -> Json[BulkAnswer]:
    """Save or delete many orders."""
    return await records.bulk(call, ORDER, body)


@router.delete("/id/{id}", operation_id="order_deleteById")
async def delete_by_id(call: Calling, record_id: RecordId, expected: IfMatch = None) -> Json[None]:
    """Delete an order."""
    return await records.delete_by_id(call, ORDER, record_id, expected)
