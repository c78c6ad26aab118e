"""ServiceToken, from runtime/system/specs/security/service_token.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Moment, RecordInput


class ServiceToken(RecordInput):
    """A long-lived access token of a user, created by `recordsmith token create`. The token itself is not stored."""

    subject: Annotated[str, Field(description="The subject of the user it belongs to.")]
    user_id: Annotated[str, Field(max_length=100)]
    description: Annotated[str | None, Field(max_length=2000)] = None
    revoked: Annotated[bool, Field(description="Whether the token is refused.")]
    expires_at: Annotated[Moment, Field(description="When the token expires and the record is deleted.")]
