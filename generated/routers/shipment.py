"""Routes of Shipment at /logistics/shipments, from specs/logistics/shipment.yaml. Written by the generator; do not edit."""

from generated.models.shipment import Shipment, ShipmentInput
from generated.record_types import SHIPMENT
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

router = RecordRouter(area="logistics", prefix="/logistics/shipments", tags=["Shipment"])


@router.get("/list", operation_id="shipment_listRecords")
async def list_records(call: Calling, query: ListQuery) -> Json[Page[Shipment]]:
    """List shipments."""
    return await records.list_records(call, SHIPMENT, query)


@router.post("/find", operation_id="shipment_find")
async def find_records(call: Calling, body: FindBody) -> Json[Page[Shipment]]:
    """Find shipments, asked for in a body."""
    return await records.find_records(call, SHIPMENT, body)


@router.get("/entityref", operation_id="shipment_listReferences")
async def list_references(call: Calling, query: ReferenceQuery) -> Json[list[EntityReference]]:
    """List references to shipments."""
    return await records.list_references(call, SHIPMENT, query)


@router.get("/count", operation_id="shipment_count")
async def count_records(call: Calling, query: CountQuery) -> Json[Count]:
    """Count shipments."""
    return await records.count_records(call, SHIPMENT, query)


@router.get("/schema", operation_id="shipment_schema")
async def get_schema(call: Calling) -> Json[JsonSchema]:
    """The JSON Schema of a shipment."""
    return await records.get_schema(call, SHIPMENT)


@router.get("/id/{id}", operation_id="shipment_getById")
async def get_by_id(call: Calling, record_id: RecordId, unless: IfNoneMatch = None) -> Json[Shipment]:
    """Get a shipment by id."""
    return await records.get_by_id(call, SHIPMENT, record_id, unless)


@router.get("/refName/{refName}", operation_id="shipment_getByRefName")
async def get_by_ref_name(call: Calling, ref_name: RefName, unless: IfNoneMatch = None) -> Json[Shipment]:
    """Get a shipment by reference name."""
    return await records.get_by_ref_name(call, SHIPMENT, ref_name, unless)


@router.post("", operation_id="shipment_save")
async def save(call: Calling, body: ShipmentInput, expected: IfMatch = None) -> Json[Shipment]:
    """Insert or replace a shipment."""
    return await records.save(call, SHIPMENT, body, expected)


@router.post("/bulk", operation_id="shipment_bulk")
async def bulk(call: Calling, body: Bulk) -> Json[BulkAnswer]:
    """Save or delete many shipments."""
    return await records.bulk(call, SHIPMENT, body)


@router.delete("/id/{id}", operation_id="shipment_deleteById")
async def delete_by_id(call: Calling, record_id: RecordId, expected: IfMatch = None) -> Json[None]:
    """Delete a shipment."""
    return await records.delete_by_id(call, SHIPMENT, record_id, expected)
