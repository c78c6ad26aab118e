"""Routes of Port at /logistics/ports, from specs/logistics/port.yaml. Written by the generator; do not edit."""

from generated.models.port import Port, PortInput
from generated.record_types import PORT
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

router = RecordRouter(area="logistics", prefix="/logistics/ports", records=PORT, tags=["Port"])


@router.get("/list", operation_id="port_listRecords")
async def list_records(call: Calling, query: ListQuery) -> Json[Page[Port]]:
    """List ports."""
    return await records.list_records(call, PORT, query)


@router.post("/find", operation_id="port_find", large_body=("VIEW",))
async def find_records(call: Calling, body: FindBody) -> Json[Page[Port]]:
    """Find ports with a JSON body."""
    return await records.find_records(call, PORT, body)


@router.get("/entityref", operation_id="port_listReferences")
async def list_references(call: Calling, query: ReferenceQuery) -> Json[list[EntityReference]]:
    """List references to ports."""
    return await records.list_references(call, PORT, query)


@router.get("/count", operation_id="port_count")
async def count_records(call: Calling, query: CountQuery) -> Json[Count]:
    """Count ports."""
    return await records.count_records(call, PORT, query)


@router.get("/schema", operation_id="port_schema")
async def get_schema(call: Calling) -> Json[JsonSchema]:
    """Get the JSON Schema of a port."""
    return await records.get_schema(call, PORT)


@router.get("/id/{id}", operation_id="port_getById")
async def get_by_id(
    call: Calling, record_id: RecordId, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[Port]:
    """Get a port by id."""
    return await records.get_by_id(call, PORT, record_id, unless, expand)


@router.get("/refName/{refName}", operation_id="port_getByRefName")
async def get_by_ref_name(
    call: Calling, ref_name: RefName, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[Port]:
    """Get a port by reference name."""
    return await records.get_by_ref_name(call, PORT, ref_name, unless, expand)


@router.get("/ontology", operation_id="port_listConnected")
async def list_connected(call: Calling, query: ConnectedQuery) -> Json[Page[Port]]:
    """List ports by what they are connected with."""
    return await ontology.list_connected(call, PORT, query)


@router.get("/id/{id}/ontology", operation_id="port_listEdges")
async def list_edges(call: Calling, record_id: RecordId, query: EdgeQuery) -> Json[EdgePage]:
    """List what a port is connected with."""
    return await ontology.list_edges(call, PORT, record_id, query)


@router.post("", operation_id="port_save", terms="terms", large_body=("CREATE", "UPDATE"))
async def save(call: Calling, body: PortInput, terms: WriteTerms) -> Json[Port]:
    """Insert or replace a port."""
    return await records.save(call, PORT, body, terms)


@router.patch("/id/{id}", operation_id="port_patch", terms="terms", large_body=("UPDATE",))
async def patch(call: Calling, record_id: RecordId, body: MergePatch, terms: WriteTerms) -> Json[Port]:
    """Change a port with a merge patch."""
    return await records.patch(call, PORT, record_id, body, terms)


@router.post(
    "/bulk", operation_id="port_bulk", terms="terms", large_body=("CREATE", "UPDATE", "DELETE"), is_bulk=True
)
async def run_bulk(call: Calling, body: Bulk, terms: BulkTerms) -> Json[BulkAnswer]:
    """Save or delete many ports."""
    return await records.run_bulk(call, PORT, body, terms)


@router.delete("/id/{id}", operation_id="port_deleteById", terms="terms")
async def delete_by_id(call: Calling, record_id: RecordId, terms: WriteTerms) -> Json[None]:
    """Delete a port."""
    return await records.delete_by_id(call, PORT, record_id, terms)
