"""WebhookSecretRotation, from runtime/system/specs/integration/webhook_secret_rotation.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class WebhookSecretRotation(Strict):
    """How the secret of a webhook is replaced."""

    end_previous: Annotated[
        bool | None,
        Field(
            description="Whether the previous secret ends at once, as after a leak. Otherwise both sign for a day."
        ),
    ] = False
