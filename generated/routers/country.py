"""Routes of Country at /logistics/countries, from specs/logistics/country.yaml. Written by the generator; do not edit."""

from generated.models.country import Country, CountryInput
from generated.record_types import COUNTRY
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

router = RecordRouter(area="logistics", prefix="/logistics/countries", tags=["Country"])


@router.get("/list", operation_id="country_listRecords")
async def list_records(call: Calling, query: ListQuery) -> Json[Page[Country]]:
    """List countries."""
    return await records.list_records(call, COUNTRY, query)


@router.post("/find", operation_id="country_find")
async def find_records(call: Calling, body: FindBody) -> Json[Page[Country]]:
    """Find countries, asked for in a body."""
    return await records.find_records(call, COUNTRY, body)


@router.get("/entityref", operation_id="country_listReferences")
async def list_references(call: Calling, query: ReferenceQuery) -> Json[list[EntityReference]]:
    """List references to countries."""
    return await records.list_references(call, COUNTRY, query)


@router.get("/count", operation_id="country_count")
async def count_records(call: Calling, query: CountQuery) -> Json[Count]:
    """Count countries."""
    return await records.count_records(call, COUNTRY, query)


@router.get("/schema", operation_id="country_schema")
async def get_schema(call: Calling) -> Json[JsonSchema]:
    """The JSON Schema of a country."""
    return await records.get_schema(call, COUNTRY)


@router.get("/id/{id}", operation_id="country_getById")
async def get_by_id(call: Calling, record_id: RecordId, unless: IfNoneMatch = None) -> Json[Country]:
    """Get a country by id."""
    return await records.get_by_id(call, COUNTRY, record_id, unless)


@router.get("/refName/{refName}", operation_id="country_getByRefName")
async def get_by_ref_name(call: Calling, ref_name: RefName, unless: IfNoneMatch = None) -> Json[Country]:
    """Get a country by reference name."""
    return await records.get_by_ref_name(call, COUNTRY, ref_name, unless)


@router.post("", operation_id="country_save")
async def save(call: Calling, body: CountryInput, expected: IfMatch = None) -> Json[Country]:
    """Insert or replace a country."""
    return await records.save(call, COUNTRY, body, expected)


@router.post("/bulk", operation_id="country_bulk")
async def bulk(call: Calling, body: Bulk) -> Json[BulkAnswer]:
    """Save or delete many countries."""
    return await records.bulk(call, COUNTRY, body)


@router.delete("/id/{id}", operation_id="country_deleteById")
async def delete_by_id(call: Calling, record_id: RecordId, expected: IfMatch = None) -> Json[None]:
    """Delete a country."""
    return await records.delete_by_id(call, COUNTRY, record_id, expected)
