"""Routes of Maker at /shop/who/makers, from specs/shop/maker.yaml. Written by the generator; do not edit."""

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
from sample_generated.models.maker import Maker, MakerInput
from sample_generated.record_types import MAKER

router = RecordRouter(area="shop", prefix="/shop/who/makers", tags=["Maker"])


@router.get("/list", operation_id="maker_listRecords")
async def list_records(call: Calling, query: ListQuery) -> Json[Page[Maker]]:
    """List makers of things."""
    return await records.list_records(call, MAKER, query)


@router.post("/find", operation_id="maker_find")
async def find_records(call: Calling, body: FindBody) -> Json[Page[Maker]]:
    """Find makers of things, asked for in a body."""
    return await records.find_records(call, MAKER, body)


@router.get("/entityref", operation_id="maker_listReferences")
async def list_references(call: Calling, query: ReferenceQuery) -> Json[list[EntityReference]]:
    """List references to makers of things."""
    return await records.list_references(call, MAKER, query)


@router.get("/count", operation_id="maker_count")
async def count_records(call: Calling, query: CountQuery) -> Json[Count]:
    """Count makers of things."""
    return await records.count_records(call, MAKER, query)


@router.get("/schema", operation_id="maker_schema")
async def get_schema(call: Calling) -> Json[JsonSchema]:
    """The JSON Schema of a maker."""
    return await records.get_schema(call, MAKER)


@router.get("/id/{id}", operation_id="maker_getById")
async def get_by_id(call: Calling, record_id: RecordId, unless: IfNoneMatch = None) -> Json[Maker]:
    """Get a maker by id."""
    return await records.get_by_id(call, MAKER, record_id, unless)


@router.get("/refName/{refName}", operation_id="maker_getByRefName")
async def get_by_ref_name(call: Calling, ref_name: RefName, unless: IfNoneMatch = None) -> Json[Maker]:
    """Get a maker by reference name."""
    return await records.get_by_ref_name(call, MAKER, ref_name, unless)


@router.post("", operation_id="maker_save")
async def save(call: Calling, body: MakerInput, expected: IfMatch = None) -> Json[Maker]:
    """Insert or replace a maker."""
    return await records.save(call, MAKER, body, expected)


@router.post("/bulk", operation_id="maker_bulk")
async def bulk(call: Calling, body: Bulk) -> Json[BulkAnswer]:
    """Save or delete many makers of things."""
    return await records.bulk(call, MAKER, body)


@router.delete("/id/{id}", operation_id="maker_deleteById")
async def delete_by_id(call: Calling, record_id: RecordId, expected: IfMatch = None) -> Json[None]:
    """Delete a maker."""
    return await records.delete_by_id(call, MAKER, record_id, expected)
