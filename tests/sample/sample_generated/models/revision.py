"""Revision, from specs/system/revision.yaml. Written by the generator; do not edit."""

from typing import Annotated, Any, Literal

from pydantic import Field

from runtime.model.record import Moment, Record, RecordInput, Strict


class RevisionChange(Strict):
    """Part of Revision."""

    path: str
    before: Any = None
    after: Any = None
    before_bytes: Annotated[
        int | None, Field(description="The size of a value that was too large to keep.")
    ] = None
    after_bytes: int | None = None
    hidden: Annotated[bool | None, Field(description="A hidden field was sent: its value is not told.")] = (
        None
    )


class RevisionFields(Strict):
    """The fields that are both sent and read."""

    record_type: str
    record_id: str
    record_version: Annotated[int, Field(description="The version that the write made.")]
    action: Literal["CREATE", "UPDATE", "DELETE", "ARCHIVE", "RESTORE"]
    written_at: Moment
    user_id: str
    subject: str
    impersonator_user_id: Annotated[str | None, Field(description="Who really acted.")] = None
    impersonator_subject: str | None = None
    acting_on_behalf_of_user_id: Annotated[
        str | None, Field(description="For whom the caller said to act.")
    ] = None
    acting_on_behalf_of_subject: str | None = None
    request_id: str
    omitted: Annotated[int | None, Field(description="Changes there was no room for.")] = None


class RevisionInput(RevisionFields, RecordInput):
    """One write of an audited record, stored in the same transaction as the record (decisions §1) (as sent)."""

    changes: Annotated[
        list[RevisionChange],
        Field(description="What the write did, field by field; values are those of the record."),
    ]


class Revision(RevisionFields, Record):
    """One write of an audited record, stored in the same transaction as the record (decisions §1)."""
