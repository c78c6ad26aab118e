"""RefreshFamily, from specs/system/refresh_family.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Moment, Record, RecordInput, Strict


class RefreshFamilyFields(Strict):
    """The fields that are both sent and read."""

    subject: Annotated[str, Field(description="The credential's subject.")]
    rotated_at: Moment
    revoked: Annotated[bool, Field(description="None of its tokens is accepted any more.")]
    expires_at: Annotated[Moment, Field(description="When its last token has expired and the record goes.")]


class RefreshFamilyInput(RefreshFamilyFields, RecordInput):
    """The chain of refresh tokens that began with one login. Only hashes are kept (as sent)."""

    current: Annotated[str, Field(description="Hash of the token that may be used.")]
    previous: Annotated[str | None, Field(description="Hash of the token used last.")] = None


class RefreshFamily(RefreshFamilyFields, Record):
    """The chain of refresh tokens that began with one login. Only hashes are kept."""
