"""Routes of Customer at /logistics/customers, from specs/logistics/customer.yaml. Written by the generator; do not edit."""

from generated.models.customer import Customer, CustomerInput
from generated.record_types import CUSTOMER
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

router = RecordRouter(area="logistics", prefix="/logistics/customers", tags=["Customer"])


@router.get("/list", operation_id="customer_listRecords")
async def list_records(call: Calling, query: ListQuery) -> Json[Page[Customer]]:
    """List customers."""
    return await records.list_records(call, CUSTOMER, query)


@router.post("/find", operation_id="customer_find")
async def find_records(call: Calling, body: FindBody) -> Json[Page[Customer]]:
    """Find customers, asked for in a body."""
    return await records.find_records(call, CUSTOMER, body)


@router.get("/entityref", operation_id="customer_listReferences")
async def list_references(call: Calling, query: ReferenceQuery) -> Json[list[EntityReference]]:
    """List references to customers."""
    return await records.list_references(call, CUSTOMER, query)


@router.get("/count", operation_id="customer_count")
async def count_records(call: Calling, query: CountQuery) -> Json[Count]:
    """Count customers."""
    return await records.count_records(call, CUSTOMER, query)


@router.get("/schema", operation_id="customer_schema")
async def get_schema(call: Calling) -> Json[JsonSchema]:
    """The JSON Schema of a customer."""
    return await records.get_schema(call, CUSTOMER)


@router.get("/id/{id}", operation_id="customer_getById")
async def get_by_id(call: Calling, record_id: RecordId, unless: IfNoneMatch = None) -> Json[Customer]:
    """Get a customer by id."""
    return await records.get_by_id(call, CUSTOMER, record_id, unless)


@router.get("/refName/{refName}", operation_id="customer_getByRefName")
async def get_by_ref_name(call: Calling, ref_name: RefName, unless: IfNoneMatch = None) -> Json[Customer]:
    """Get a customer by reference name."""
    return await records.get_by_ref_name(call, CUSTOMER, ref_name, unless)


@router.post("", operation_id="customer_save")
async def save(call: Calling, body: CustomerInput, expected: IfMatch = None) -> Json[Customer]:
    """Insert or replace a customer."""
    return await records.save(call, CUSTOMER, body, expected)


@router.post("/bulk", operation_id="customer_bulk")
async def bulk(call: Calling, body: Bulk) -> Json[BulkAnswer]:
    """Save or delete many customers."""
    return await records.bulk(call, CUSTOMER, body)


@router.delete("/id/{id}", operation_id="customer_deleteById")
async def delete_by_id(call: Calling, record_id: RecordId, expected: IfMatch = None) -> Json[None]:
    """Delete a customer."""
    return await records.delete_by_id(call, CUSTOMER, record_id, expected)
