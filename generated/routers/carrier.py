"""Routes of Carrier at /logistics/carriers, from specs/logistics/carrier.yaml. Written by the generator; do not edit."""

from generated.models.carrier import Carrier, CarrierInput
from generated.record_types import CARRIER
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

router = RecordRouter(area="logistics", prefix="/logistics/carriers", tags=["Carrier"])


@router.get("/list", operation_id="carrier_listRecords")
async def list_records(call: Calling, query: ListQuery) -> Json[Page[Carrier]]:
    """List carriers."""
    return await records.list_records(call, CARRIER, query)


@router.post("/find", operation_id="carrier_find")
async def find_records(call: Calling, body: FindBody) -> Json[Page[Carrier]]:
    """Find carriers, asked for in a body."""
    return await records.find_records(call, CARRIER, body)


@router.get("/entityref", operation_id="carrier_listReferences")
async def list_references(call: Calling, query: ReferenceQuery) -> Json[list[EntityReference]]:
    """List references to carriers."""
    return await records.list_references(call, CARRIER, query)


@router.get("/count", operation_id="carrier_count")
async def count_records(call: Calling, query: CountQuery) -> Json[Count]:
    """Count carriers."""
    return await records.count_records(call, CARRIER, query)


@router.get("/schema", operation_id="carrier_schema")
async def get_schema(call: Calling) -> Json[JsonSchema]:
    """The JSON Schema of a carrier."""
    return await records.get_schema(call, CARRIER)


@router.get("/id/{id}", operation_id="carrier_getById")
async def get_by_id(call: Calling, record_id: RecordId, unless: IfNoneMatch = None) -> Json[Carrier]:
    """Get a carrier by id."""
    return await records.get_by_id(call, CARRIER, record_id, unless)


@router.get("/refName/{refName}", operation_id="carrier_getByRefName")
async def get_by_ref_name(call: Calling, ref_name: RefName, unless: IfNoneMatch = None) -> Json[Carrier]:
    """Get a carrier by reference name."""
    return await records.get_by_ref_name(call, CARRIER, ref_name, unless)


@router.post("", operation_id="carrier_save")
async def save(call: Calling, body: CarrierInput, expected: IfMatch = None) -> Json[Carrier]:
    """Insert or replace a carrier."""
    return await records.save(call, CARRIER, body, expected)


@router.post("/bulk", operation_id="carrier_bulk")
async def bulk(call: Calling, body: Bulk) -> Json[BulkAnswer]:
    """Save or delete many carriers."""
    return await records.bulk(call, CARRIER, body)


@router.delete("/id/{id}", operation_id="carrier_deleteById")
async def delete_by_id(call: Calling, record_id: RecordId, expected: IfMatch = None) -> Json[None]:
    """Delete a carrier."""
    return await records.delete_by_id(call, CARRIER, record_id, expected)
