"""WebhookState, from runtime/system/specs/integration/webhook_state.yaml. Written by the generator; do not edit."""

from runtime.model.record import ObjectIdText, Strict


class WebhookState(Strict):
    """Whether a webhook is notified."""

    id: ObjectIdText
    active: bool
