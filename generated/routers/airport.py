"""Routes of Airport at /logistics/airports, from specs/logistics/airport.yaml. Written by the generator; do not edit."""

from generated.models.airport import Airport, AirportInput
from generated.record_types import AIRPORT
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

router = RecordRouter(area="logistics", prefix="/logistics/airports", tags=["Airport"])


@router.get("/list", operation_id="airport_listRecords")
async def list_records(call: Calling, query: ListQuery) -> Json[Page[Airport]]:
    """List airports."""
    return await records.list_records(call, AIRPORT, query)


@router.post("/find", operation_id="airport_find")
async def find_records(call: Calling, body: FindBody) -> Json[Page[Airport]]:
    """Find airports, asked for in a body."""
    return await records.find_records(call, AIRPORT, body)


@router.get("/entityref", operation_id="airport_listReferences")
async def list_references(call: Calling, query: ReferenceQuery) -> Json[list[EntityReference]]:
    """List references to airports."""
    return await records.list_references(call, AIRPORT, query)


@router.get("/count", operation_id="airport_count")
async def count_records(call: Calling, query: CountQuery) -> Json[Count]:
    """Count airports."""
    return await records.count_records(call, AIRPORT, query)


@router.get("/schema", operation_id="airport_schema")
async def get_schema(call: Calling) -> Json[JsonSchema]:
    """The JSON Schema of an airport."""
    return await records.get_schema(call, AIRPORT)


@router.get("/id/{id}", operation_id="airport_getById")
async def get_by_id(call: Calling, record_id: RecordId, unless: IfNoneMatch = None) -> Json[Airport]:
    """Get an airport by id."""
    return await records.get_by_id(call, AIRPORT, record_id, unless)


@router.get("/refName/{refName}", operation_id="airport_getByRefName")
async def get_by_ref_name(call: Calling, ref_name: RefName, unless: IfNoneMatch = None) -> Json[Airport]:
    """Get an airport by reference name."""
    return await records.get_by_ref_name(call, AIRPORT, ref_name, unless)


@router.post("", operation_id="airport_save")
async def save(call: Calling, body: AirportInput, expected: IfMatch = None) -> Json[Airport]:
    """Insert or replace an airport."""
    return await records.save(call, AIRPORT, body, expected)


@router.post("/bulk", operation_id="airport_bulk")
async def bulk(call: Calling, body: Bulk) -> Json[BulkAnswer]:
    """Save or delete many airports."""
    return await records.bulk(call, AIRPORT, body)


@router.delete("/id/{id}", operation_id="airport_deleteById")
async def delete_by_id(call: Calling, record_id: RecordId, expected: IfMatch = None) -> Json[None]:
    """Delete an airport."""
    return await records.delete_by_id(call, AIRPORT, record_id, expected)
