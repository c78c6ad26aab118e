"""CreatedWebhook, from runtime/system/specs/integration/created_webhook.yaml. Written by the generator; do not edit."""

from runtime.model.record import ObjectIdText, Strict


class CreatedWebhook(Strict):
    """A webhook that was created, with its secret."""

    id: ObjectIdText
    ref_name: str
    secret: str
