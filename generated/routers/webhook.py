"""Routes of Webhook at /integration/webhooks, from runtime/system/specs/integration/webhook.yaml. Written by the generator; do not edit."""

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
    WriteTerms,
)
from runtime.system.models.webhook import Webhook
from runtime.system.record_types import WEBHOOK

router = RecordRouter(area="integration", prefix="/integration/webhooks", records=WEBHOOK, tags=["Webhook"])


@router.get("/list", operation_id="webhook_listRecords")
async def list_records(call: Calling, query: ListQuery) -> Json[Page[Webhook]]:
    """List webhooks."""
    return await records.list_records(call, WEBHOOK, query)


@router.post("/find", operation_id="webhook_find", large_body=("VIEW",))
async def find_records(call: Calling, body: FindBody) -> Json[Page[Webhook]]:
    """Find webhooks with a JSON body."""
    return await records.find_records(call, WEBHOOK, body)


@router.get("/entityref", operation_id="webhook_listReferences")
async def list_references(call: Calling, query: ReferenceQuery) -> Json[list[EntityReference]]:
    """List references to webhooks."""
    return await records.list_references(call, WEBHOOK, query)


@router.get("/count", operation_id="webhook_count")
async def count_records(call: Calling, query: CountQuery) -> Json[Count]:
    """Count webhooks."""
    return await records.count_records(call, WEBHOOK, query)


@router.get("/schema", operation_id="webhook_schema")
async def get_schema(call: Calling) -> Json[JsonSchema]:
    """Get the JSON Schema of a webhook."""
    return await records.get_schema(call, WEBHOOK)


@router.get("/id/{id}", operation_id="webhook_getById")
async def get_by_id(
    call: Calling, record_id: RecordId, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[Webhook]:
    """Get a webhook by id."""
    return await records.get_by_id(call, WEBHOOK, record_id, unless, expand)


@router.get("/refName/{refName}", operation_id="webhook_getByRefName")
async def get_by_ref_name(
    call: Calling, ref_name: RefName, unless: IfNoneMatch = None, expand: Expand = None
) -> Json[Webhook]:
    """Get a webhook by reference name."""
    return await records.get_by_ref_name(call, WEBHOOK, ref_name, unless, expand)


@router.patch("/id/{id}", operation_id="webhook_patch", terms="terms", large_body=("UPDATE",))
async def patch(call: Calling, record_id: RecordId, body: MergePatch, terms: WriteTerms) -> Json[Webhook]:
    """Change a webhook with a merge patch."""
    return await records.patch(call, WEBHOOK, record_id, body, terms)


@router.delete("/id/{id}", operation_id="webhook_deleteById", terms="terms")
async def delete_by_id(call: Calling, record_id: RecordId, terms: WriteTerms) -> Json[None]:
    """Delete a webhook."""
    return await records.delete_by_id(call, WEBHOOK, record_id, terms)
