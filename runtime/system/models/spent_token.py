"""SpentToken, from runtime/system/specs/security/spent_token.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Moment, Record, RecordInput, Strict


class SpentTokenFields(Strict):
    """The fields that are both sent and read."""

    expires_at: Annotated[Moment, Field(description="When the token expires and the record is deleted.")]


class SpentTokenInput(SpentTokenFields, RecordInput):
    """A token that is not accepted any more before it expires: an access token that its client revoked, or a client assertion that was used. Its refName is a hash of what identifies it (as sent)."""


class SpentToken(SpentTokenFields, Record):
    """A token that is not accepted any more before it expires: an access token that its client revoked, or a client assertion that was used. Its refName is a hash of what identifies it."""
