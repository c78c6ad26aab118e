"""Routes of Region at /logistics/regions, from specs/logistics/region.yaml. Written by the generator; do not edit."""

from generated.models.region import Region, RegionInput
from generated.record_types import REGION
from runtime import ontology, records
from runtime.http import (
    Bulk,
    BulkAnswer,
    BulkTerms,
    Calling,
    ConnectedQuery,
    Count,
    CountQuery,
    EdgePage,
    EdgeQuery,
    EntityReference,
    Expand,
    FindBody,
    IfNoneMatch,
    Json,
    JsonSchema,
    ListQuery,
    MergePatch,
    Page,
    RecordId,
    RecordRouter,
    ReferenceQuery,
    RefName,
    WriteTerms,
)

router = RecordRouter(area="logistics", prefix="/logistics/regions", records=REGION, tags=["Region"])


@router.get("/list", operation_id="region_listRecords")
async def list_records(call: Calling, query: ListQuery) -> Json[Page[Region]]:
    """List regions."""
    return await records.list_records(call, REGION, query)


@router.post("/find", operation_id="region_find", large_body=("VIEW",))
async def find_records(call: Calling, body: FindBody) -> Json[Page[Region]]:
    """Find regions with a JSON body."""
    return await records.find_records(call, REGION, body)


@router.get("/entityref", operation_id="region_listReferences")
async def list_references(call: Calling, query: ReferenceQuery) -> Json[list[EntityReference]]:
    """List references to regions."""
    return await records.list_references(call, REGION, query)


@router.get("/count", operation_id="region_count")
async def count_records(call: Calling, query: CountQuery) -> Json[Count]:
    """Count regions."""
    return await records.count_records(call, REGION, query)


@router.get("/schema", operation_id="region_schema")
async def get_schema(call: Calling) -> Json[JsonSchema]:
    """Get the JSON Schema of a region."""
    return await records.get_schema(call, REGION)


@router.get("/id/{id}", operation_id="region_getById")
async def get_by_id(
    call: Calling, record_id: RecordId, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[Region]:
    """Get a region by id."""
    return await records.get_by_id(call, REGION, record_id, unless, expand)


@router.get("/refName/{refName}", operation_id="region_getByRefName")
async def get_by_ref_name(
    call: Calling, ref_name: RefName, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[Region]:
    """Get a region by reference name."""
    return await records.get_by_ref_name(call, REGION, ref_name, unless, expand)


@router.get("/ontology", operation_id="region_listConnected")
async def list_connected(call: Calling, query: ConnectedQuery) -> Json[Page[Region]]:
    """List regions by what they are connected with."""
    return await ontology.list_connected(call, REGION, query)


@router.get("/id/{id}/ontology", operation_id="region_listEdges")
async def list_edges(call: Calling, record_id: RecordId, query: EdgeQuery) -> Json[EdgePage]:
    """List what a region is connected with."""
    return await ontology.list_edges(call, REGION, record_id, query)


@router.post("", operation_id="region_save", terms="terms", large_body=("CREATE", "UPDATE"))
async def save(call: Calling, body: RegionInput, terms: WriteTerms) -> Json[Region]:
    """Insert or replace a region."""
    return await records.save(call, REGION, body, terms)


@router.patch("/id/{id}", operation_id="region_patch", terms="terms", large_body=("UPDATE",))
async def patch(call: Calling, record_id: RecordId, body: MergePatch, terms: WriteTerms) -> Json[Region]:
    """Change a region with a merge patch."""
    return await records.patch(call, REGION, record_id, body, terms)


@router.post(
    "/bulk",
    operation_id="region_bulk",
    terms="terms",
    large_body=("CREATE", "UPDATE", "DELETE"),
    is_bulk=True,
)
async def run_bulk(call: Calling, body: Bulk, terms: BulkTerms) -> Json[BulkAnswer]:
    """Save or delete many regions."""
    return await records.run_bulk(call, REGION, body, terms)


@router.delete("/id/{id}", operation_id="region_deleteById", terms="terms")
async def delete_by_id(call: Calling, record_id: RecordId, terms: WriteTerms) -> Json[None]:
    """Delete a region."""
    return await records.delete_by_id(call, REGION, record_id, terms)
