"""WebhookState, from runtime/system/specs/integration/webhook_state.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import ObjectIdText, Strict


class WebhookState(Strict):
    """Whether a webhook is notified."""

    id: Annotated[ObjectIdText, Field(description="The id of the webhook.")]
    active: Annotated[bool, Field(description="Whether notifications are stored and sent.")]
