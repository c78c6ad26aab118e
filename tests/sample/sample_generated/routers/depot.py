"""Routes of Depot at /shop/depots, from specs/shop/depot.yaml. Written by the generator; do not edit."""

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
from sample_generated.models.depot import Depot, DepotInput
from sample_generated.record_types import DEPOT

router = RecordRouter(area="shop", prefix="/shop/depots", tags=["Depot"])


@router.get("/list", operation_id="depot_listRecords")
async def list_records(call: Calling, query: ListQuery) -> Json[Page[Depot]]:
    """List depots."""
    return await records.list_records(call, DEPOT, query)


@router.post("/find", operation_id="depot_find")
async def find_records(call: Calling, body: FindBody) -> Json[Page[Depot]]:
    """Find depots, asked for in a body."""
    return await records.find_records(call, DEPOT, body)


@router.get("/entityref", operation_id="depot_listReferences")
async def list_references(call: Calling, query: ReferenceQuery) -> Json[list[EntityReference]]:
    """List references to depots."""
    return await records.list_references(call, DEPOT, query)


@router.get("/count", operation_id="depot_count")
async def count_records(call: Calling, query: CountQuery) -> Json[Count]:
    """Count depots."""
    return await records.count_records(call, DEPOT, query)


@router.get("/schema", operation_id="depot_schema")
async def get_schema(call: Calling) -> Json[JsonSchema]:
    """The JSON Schema of a depot."""
    return await records.get_schema(call, DEPOT)


@router.get("/id/{id}", operation_id="depot_getById")
async def get_by_id(call: Calling, record_id: RecordId, unless: IfNoneMatch = None) -> Json[Depot]:
    """Get a depot by id."""
    return await records.get_by_id(call, DEPOT, record_id, unless)


@router.get("/refName/{refName}", operation_id="depot_getByRefName")
async def get_by_ref_name(call: Calling, ref_name: RefName, unless: IfNoneMatch = None) -> Json[Depot]:
    """Get a depot by reference name."""
    return await records.get_by_ref_name(call, DEPOT, ref_name, unless)


@router.post("", operation_id="depot_save")
async def save(call: Calling, body: DepotInput, expected: IfMatch = None) -> Json[Depot]:
    """Insert or replace a depot."""
    return await records.save(call, DEPOT, body, expected)


@router.post("/bulk", operation_id="depot_bulk")
async def bulk(call: Calling, body: Bulk) -> Json[BulkAnswer]:
    """Save or delete many depots."""
    return await records.bulk(call, DEPOT, body)


@router.delete("/id/{id}", operation_id="depot_deleteById")
async def delete_by_id(call: Calling, record_id: RecordId, expected: IfMatch = None) -> Json[None]:
    """Delete a depot."""
    return await records.delete_by_id(call, DEPOT, record_id, expected)
