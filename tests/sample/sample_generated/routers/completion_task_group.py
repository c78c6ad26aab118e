"""Routes of CompletionTaskGroup at /integration/completionTaskGroup, from runtime/system/specs/integration/completion_task_group.yaml. Written by the generator; do not edit."""

from runtime import records
from runtime.http import (
    Calling,
    Count,
    CountQuery,
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
    SetQuery,
    WriteTerms,
)
from runtime.system.models.completion_task_group import CompletionTaskGroup
from runtime.system.record_types import COMPLETION_TASK_GROUP

router = RecordRouter(
    area="integration",
    prefix="/integration/completionTaskGroup",
    records=COMPLETION_TASK_GROUP,
    tags=["CompletionTaskGroup"],
)


@router.get("/list", operation_id="completionTaskGroup_listRecords")
async def list_records(call: Calling, query: ListQuery) -> Json[Page[CompletionTaskGroup]]:
    """List completion task groups."""
    return await records.list_records(call, COMPLETION_TASK_GROUP, query)


@router.post("/find", operation_id="completionTaskGroup_find", large_body=("VIEW",))
async def find_records(call: Calling, body: FindBody) -> Json[Page[CompletionTaskGroup]]:
    """Find completion task groups with a JSON body."""
    return await records.find_records(call, COMPLETION_TASK_GROUP, body)


@router.get("/entityref", operation_id="completionTaskGroup_listReferences")
async def list_references(call: Calling, query: ReferenceQuery) -> Json[list[EntityReference]]:
    """List references to completion task groups."""
    return await records.list_references(call, COMPLETION_TASK_GROUP, query)


@router.get("/count", operation_id="completionTaskGroup_count")
async def count_records(call: Calling, query: CountQuery) -> Json[Count]:
    """Count completion task groups."""
    return await records.count_records(call, COMPLETION_TASK_GROUP, query)


@router.get("/schema", operation_id="completionTaskGroup_schema")
async def get_schema(call: Calling) -> Json[JsonSchema]:
    """Get the JSON Schema of a completion task group."""
    return await records.get_schema(call, COMPLETION_TASK_GROUP)


@router.get("/id/{id}", operation_id="completionTaskGroup_getById")
async def get_by_id(
    call: Calling, record_id: RecordId, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[CompletionTaskGroup]:
    """Get a completion task group by id."""
    return await records.get_by_id(call, COMPLETION_TASK_GROUP, record_id, unless, expand)


@router.get("/refName/{refName}", operation_id="completionTaskGroup_getByRefName")
async def get_by_ref_name(
    call: Calling, ref_name: RefName, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[CompletionTaskGroup]:
    """Get a completion task group by reference name."""
    return await records.get_by_ref_name(call, COMPLETION_TASK_GROUP, ref_name, unless, expand)


@router.put("/set", operation_id="completionTaskGroup_setFields", terms="terms")
async def set_fields(call: Calling, query: SetQuery, terms: WriteTerms) -> Json[CompletionTaskGroup]:
    """Set some fields of a completion task group."""
    return await records.set_fields(call, COMPLETION_TASK_GROUP, query, terms)


@router.patch("/id/{id}", operation_id="completionTaskGroup_patch", terms="terms", large_body=("UPDATE",))
async def patch(
    call: Calling, record_id: RecordId, body: MergePatch, terms: WriteTerms
) -> Json[CompletionTaskGroup]:
    """Change a completion task group with a merge patch."""
    return await records.patch(call, COMPLETION_TASK_GROUP, record_id, body, terms)


@router.delete("/id/{id}", operation_id="completionTaskGroup_deleteById", terms="terms")
async def delete_by_id(call: Calling, record_id: RecordId, terms: WriteTerms) -> Json[None]:
    """Delete a completion task group."""
    return await records.delete_by_id(call, COMPLETION_TASK_GROUP, record_id, terms)
