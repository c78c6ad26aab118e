"""RefreshFamily, from runtime/system/specs/security/refresh_family.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Moment, Record, RecordInput, Strict


class RefreshFamilyFields(Strict):
    """The fields that are both sent and read."""

    subject: Annotated[str, Field(description="The credential's subject.")]
    rotated_at: Moment
    revoked: Annotated[bool, Field(description="Whether all its tokens are refused.")]
    expires_at: Annotated[Moment, Field(description="When the last token expires and the record is deleted.")]


class RefreshFamilyInput(RefreshFamilyFields, RecordInput):
    """The chain of refresh tokens of one login. Only hashes are stored (as sent)."""

    current: Annotated[str, Field(description="Hash of the current token.")]
    previous: Annotated[str | None, Field(description="Hash of the token used last.")] = None


class RefreshFamily(RefreshFamilyFields, Record):
    """The chain of refresh tokens of one login. Only hashes are stored."""
