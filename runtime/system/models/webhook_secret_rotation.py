"""WebhookSecretRotation, from runtime/system/specs/integration/webhook_secret_rotation.yaml. Written by the generator; do not edit."""

from runtime.model.record import Strict


class WebhookSecretRotation(Strict):
    """How the secret of a webhook is replaced."""

    end_previous: bool | None = False
