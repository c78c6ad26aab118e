"""ServiceToken, from specs/system/service_token.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Moment, Record, RecordInput, Strict


class ServiceTokenFields(Strict):
    """The fields that are both sent and read."""

    subject: Annotated[str, Field(description="The subject of its user.")]
    user_id: Annotated[str, Field(max_length=100)]
    description: Annotated[str | None, Field(max_length=2000)] = None
    revoked: Annotated[bool, Field(description="It is not accepted any more.")]
    expires_at: Annotated[Moment, Field(description="When it has expired and the record goes.")]


class ServiceTokenInput(ServiceTokenFields, RecordInput):
    """A long-lived access token of a user, made by `recordsmith token create`. The token itself is not kept (as sent)."""


class ServiceToken(ServiceTokenFields, Record):
    """A long-lived access token of a user, made by `recordsmith token create`. The token itself is not kept."""
