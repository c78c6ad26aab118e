"""CreatedWebhook, from runtime/system/specs/integration/created_webhook.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import ObjectIdText, Strict


class CreatedWebhook(Strict):
    """A webhook that was created, with its secret."""

    id: Annotated[ObjectIdText, Field(description="The id of the webhook.")]
    ref_name: Annotated[str, Field(description="The name by which the webhook can be found.")]
    secret: Annotated[
        str, Field(description="The secret that signs the notifications, which is returned this once.")
    ]
