"""Routes of CompletionTask at /integration/completionTask, from runtime/system/specs/integration/completion_task.yaml. Written by the generator; do not edit."""

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
from runtime.system.models.completion_task import CompletionTask
from runtime.system.record_types import COMPLETION_TASK

router = RecordRouter(
    area="integration", prefix="/integration/completionTask", records=COMPLETION_TASK, tags=["CompletionTask"]
)


@router.get("/list", operation_id="completionTask_listRecords")
async def list_records(call: Calling, query: ListQuery) -> Json[Page[CompletionTask]]:
    """List completion tasks."""
    return await records.list_records(call, COMPLETION_TASK, query)


@router.post("/find", operation_id="completionTask_find", large_body=("VIEW",))
async def find_records(call: Calling, body: FindBody) -> Json[Page[CompletionTask]]:
    """Find completion tasks with a JSON body."""
    return await records.find_records(call, COMPLETION_TASK, body)


@router.get("/entityref", operation_id="completionTask_listReferences")
async def list_references(call: Calling, query: ReferenceQuery) -> Json[list[EntityReference]]:
    """List references to completion tasks."""
    return await records.list_references(call, COMPLETION_TASK, query)


@router.get("/count", operation_id="completionTask_count")
async def count_records(call: Calling, query: CountQuery) -> Json[Count]:
    """Count completion tasks."""
    return await records.count_records(call, COMPLETION_TASK, query)


@router.get("/schema", operation_id="completionTask_schema")
async def get_schema(call: Calling) -> Json[JsonSchema]:
    """Get the JSON Schema of a completion task."""
    return await records.get_schema(call, COMPLETION_TASK)


@router.get("/id/{id}", operation_id="completionTask_getById")
async def get_by_id(
    call: Calling, record_id: RecordId, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[CompletionTask]:
    """Get a completion task by id."""
    return await records.get_by_id(call, COMPLETION_TASK, record_id, unless, expand)


@router.get("/refName/{refName}", operation_id="completionTask_getByRefName")
async def get_by_ref_name(
    call: Calling, ref_name: RefName, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[CompletionTask]:
    """Get a completion task by reference name."""
    return await records.get_by_ref_name(call, COMPLETION_TASK, ref_name, unless, expand)


@router.put("/set", operation_id="completionTask_setFields", terms="terms")
async def set_fields(call: Calling, query: SetQuery, terms: WriteTerms) -> Json[CompletionTask]:
    """Set some fields of a completion task."""
    return await records.set_fields(call, COMPLETION_TASK, query, terms)


@router.patch("/id/{id}", operation_id="completionTask_patch", terms="terms", large_body=("UPDATE",))
async def patch(
    call: Calling, record_id: RecordId, body: MergePatch, terms: WriteTerms
) -> Json[CompletionTask]:
    """Change a completion task with a merge patch."""
    return await records.patch(call, COMPLETION_TASK, record_id, body, terms)


@router.delete("/id/{id}", operation_id="completionTask_deleteById", terms="terms")
async def delete_by_id(call: Calling, record_id: RecordId, terms: WriteTerms) -> Json[None]:
    """Delete a completion task."""
    return await records.delete_by_id(call, COMPLETION_TASK, record_id, terms)
