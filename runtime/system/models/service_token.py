"""ServiceToken, from runtime/system/specs/security/service_token.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Moment, RecordInput


class ServiceToken(RecordInput):
    """A long-lived access token of a user, created by `recordsmith token create`. The token itself is not stored."""

    subject: str
    user_id: Annotated[str, Field(max_length=100)]
    description: Annotated[str | None, Field(max_length=2000)] = None
    revoked: bool
    expires_at: Moment
