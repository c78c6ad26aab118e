"""Hand-written endpoints of the area integration, from runtime/system/specs/integration/completion.yaml, runtime/system/specs/integration/webhooks.yaml. Written by the generator; do not edit."""

from typing import Annotated, Any, Literal

from fastapi import Header, Path, Query
from pydantic import Field

import runtime.completion.progress
import runtime.completion.routes
import runtime.completion.subscribe
import runtime.outbox.routes
from runtime.http import Calling, Json, KeyTerms, RecordRouter, Stream, admit, answer
from runtime.system.models.completed_task import CompletedTask
from runtime.system.models.created_group import CreatedGroup
from runtime.system.models.created_task import CreatedTask
from runtime.system.models.created_webhook import CreatedWebhook
from runtime.system.models.delivery_list import DeliveryList
from runtime.system.models.delivery_status import DeliveryStatus
from runtime.system.models.group_progress import GroupProgress
from runtime.system.models.new_group import NewGroup
from runtime.system.models.new_task import NewTask
from runtime.system.models.new_webhook import NewWebhook
from runtime.system.models.webhook_secret_rotation import WebhookSecretRotation
from runtime.system.models.webhook_state import WebhookState

router = RecordRouter(area="integration", tags=["integration"])


@router.post(
    "/integration/completionTaskGroup/create", operation_id="completionTaskGroup_create", terms="terms"
)
async def completion_task_group_create(call: Calling, body: NewGroup, terms: KeyTerms) -> Json[CreatedGroup]:
    """Create a completion task group."""
    admit(call, {"admin", "user"}, area="integration", domain="completionTaskGroup", action="CREATE")
    return answer(CreatedGroup, await runtime.completion.routes.create_group(call, body), status=201)


@router.post("/integration/webhooks/create", operation_id="webhook_create", terms="terms")
async def webhook_create(call: Calling, body: NewWebhook, terms: KeyTerms) -> Json[CreatedWebhook]:
    """Create a webhook."""
    admit(call, {"admin", "user"}, area="integration", domain="webhook", action="CREATE")
    return answer(CreatedWebhook, await runtime.outbox.routes.create_webhook(call, body), status=201)


@router.get("/integration/completionTaskGroup/id/{id}/progress", operation_id="completionTaskGroup_progress")
async def progress(
    call: Calling, id_: Annotated[str, Field(max_length=200, min_length=1), Path(alias="id")]
) -> Json[GroupProgress]:
    """Get the progress of a group."""
    admit(call, {"admin", "user"}, area="integration", domain="completionTaskGroup", action="VIEW")
    return answer(GroupProgress, await runtime.completion.progress.count_tasks(call, id_=id_))


@router.get(
    "/integration/completionTaskGroup/subscribe/{id}",
    operation_id="completionTaskGroup_subscribe",
    watches=True,
)
async def subscribe(
    call: Calling,
    id_: Annotated[str, Field(max_length=200, min_length=1), Path(alias="id")],
    last_event_id: Annotated[str | None, Header(alias="Last-Event-ID")] = None,
) -> Stream | Json[Any]:
    """Follow the tasks of a group as server-sent events."""
    admit(call, {"admin", "user"}, area="integration", domain="completionTaskGroup", action="VIEW")
    return await runtime.completion.subscribe.subscribe(call, id_=id_, last_event_id=last_event_id)


@router.put(
    "/integration/completionTask/complete/{id}", operation_id="completionTask_complete", terms="terms"
)
async def complete(
    call: Calling,
    terms: KeyTerms,
    id_: Annotated[str, Field(max_length=200, min_length=1), Path(alias="id")],
    status: Annotated[Literal["PENDING", "RUNNING", "SUCCESS", "FAILED"], Query(alias="status")],
    result: Annotated[str | None, Field(max_length=10000), Query(alias="result")] = None,
    if_match: Annotated[str | None, Header(alias="If-Match")] = None,
) -> Json[CompletedTask]:
    """Complete a task."""
    admit(call, {"admin", "user"}, area="integration", domain="completionTask", action="UPDATE")
    return answer(
        CompletedTask,
        await runtime.completion.routes.complete(
            call, id_=id_, status=status, result=result, if_match=if_match
        ),
    )


@router.post(
    "/integration/completionTask/create/{groupId}", operation_id="completionTask_create", terms="terms"
)
async def completion_task_create(
    call: Calling,
    body: NewTask,
    terms: KeyTerms,
    group_id: Annotated[str, Field(max_length=200, min_length=1), Path(alias="groupId")],
) -> Json[CreatedTask]:
    """Create a completion task."""
    admit(call, {"admin", "user"}, area="integration", domain="completionTask", action="CREATE")
    return answer(
        CreatedTask, await runtime.completion.routes.create_task(call, body, group_id=group_id), status=201
    )


@router.get("/integration/webhooks/id/{id}/deliveries", operation_id="webhook_deliveries")
async def deliveries(
    call: Calling,
    id_: Annotated[str, Path(alias="id")],
    status: Annotated[Literal["WAITING", "DELIVERED", "DEAD"] | None, Query(alias="status")] = None,
    limit: Annotated[int | None, Field(ge=1, le=1000), Query(alias="limit")] = None,
) -> Json[DeliveryList]:
    """List the deliveries of a webhook."""
    admit(call, {"admin", "user"}, area="integration", domain="webhook", action="VIEW")
    return answer(
        DeliveryList, await runtime.outbox.routes.list_deliveries(call, id_=id_, status=status, limit=limit)
    )


@router.post("/integration/webhooks/id/{id}/deliveries/{deliveryId}/resend", operation_id="webhook_resend")
async def resend(
    call: Calling,
    id_: Annotated[str, Path(alias="id")],
    delivery_id: Annotated[str, Path(alias="deliveryId")],
) -> Json[DeliveryStatus]:
    """Send a delivery again."""
    admit(call, {"admin", "user"}, area="integration", domain="webhook", action="UPDATE")
    return answer(
        DeliveryStatus,
        await runtime.outbox.routes.repeat_delivery(call, id_=id_, delivery_id=delivery_id),
        status=202,
    )


@router.post("/integration/webhooks/id/{id}/resume", operation_id="webhook_resume")
async def resume(call: Calling, id_: Annotated[str, Path(alias="id")]) -> Json[WebhookState]:
    """Resume a webhook."""
    admit(call, {"admin", "user"}, area="integration", domain="webhook", action="UPDATE")
    return answer(WebhookState, await runtime.outbox.routes.resume(call, id_=id_))


@router.post(
    "/integration/webhooks/id/{id}/rotate-secret", operation_id="webhook_rotateSecret", terms="terms"
)
async def rotate_secret(
    call: Calling, body: WebhookSecretRotation, terms: KeyTerms, id_: Annotated[str, Path(alias="id")]
) -> Json[CreatedWebhook]:
    """Create another secret of a webhook."""
    admit(call, {"admin", "user"}, area="integration", domain="webhook", action="UPDATE")
    return answer(CreatedWebhook, await runtime.outbox.routes.rotate_secret(call, body, id_=id_))


@router.post("/integration/webhooks/id/{id}/test", operation_id="webhook_test")
async def test(call: Calling, id_: Annotated[str, Path(alias="id")]) -> Json[DeliveryStatus]:
    """Send a test to a webhook."""
    admit(call, {"admin", "user"}, area="integration", domain="webhook", action="UPDATE")
    return answer(DeliveryStatus, await runtime.outbox.routes.send_test(call, id_=id_), status=202)
