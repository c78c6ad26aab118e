"""Routes of Colour at /shop/colours, from specs/shop/colour.yaml. Written by the generator; do not edit."""

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
from sample_generated.models.colour import Colour, ColourInput
from sample_generated.record_types import COLOUR

router = RecordRouter(area="shop", prefix="/shop/colours", tags=["Colour"])


@router.get("/list", operation_id="colour_listRecords")
async def list_records(call: Calling, query: ListQuery) -> Json[Page[Colour]]:
    """List colours."""
    return await records.list_records(call, COLOUR, query)


@router.post("/find", operation_id="colour_find")
async def find_records(call: Calling, body: FindBody) -> Json[Page[Colour]]:
    """Find colours, asked for in a body."""
    return await records.find_records(call, COLOUR, body)


@router.get("/entityref", operation_id="colour_listReferences")
async def list_references(call: Calling, query: ReferenceQuery) -> Json[list[EntityReference]]:
    """List references to colours."""
    return await records.list_references(call, COLOUR, query)


@router.get("/count", operation_id="colour_count")
async def count_records(call: Calling, query: CountQuery) -> Json[Count]:
    """Count colours."""
    return await records.count_records(call, COLOUR, query)


@router.get("/schema", operation_id="colour_schema")
async def get_schema(call: Calling) -> Json[JsonSchema]:
    """The JSON Schema of a colour."""
    return await records.get_schema(call, COLOUR)


@router.get("/id/{id}", operation_id="colour_getById")
async def get_by_id(call: Calling, record_id: RecordId, unless: IfNoneMatch = None) -> Json[Colour]:
    """Get a colour by id."""
    return await records.get_by_id(call, COLOUR, record_id, unless)


@router.get("/refName/{refName}", operation_id="colour_getByRefName")
async def get_by_ref_name(call: Calling, ref_name: RefName, unless: IfNoneMatch = None) -> Json[Colour]:
    """Get a colour by reference name."""
    return await records.get_by_ref_name(call, COLOUR, ref_name, unless)


@router.post("", operation_id="colour_save")
async def save(call: Calling, body: ColourInput, expected: IfMatch = None) -> Json[Colour]:
    """Insert or replace a colour."""
    return await records.save(call, COLOUR, body, expected)


@router.post("/bulk", operation_id="colour_bulk")
async def bulk(call: Calling, body: Bulk) -> Json[BulkAnswer]:
    """Save or delete many colours."""
    return await records.bulk(call, COLOUR, body)


@router.delete("/id/{id}", operation_id="colour_deleteById")
async def delete_by_id(call: Calling, record_id: RecordId, expected: IfMatch = None) -> Json[None]:
    """Delete a colour."""
    return await records.delete_by_id(call, COLOUR, record_id, expected)
