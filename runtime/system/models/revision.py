"""Revision, from runtime/system/specs/system/revision.yaml. Written by the generator; do not edit."""

from typing import Annotated, Any, Literal

from pydantic import Field

from runtime.model.record import Moment, RecordInput, Strict


class RevisionChange(Strict):
    """Part of Revision."""

    path: str
    before: Any = None
    after: Any = None
    before_bytes: Annotated[int | None, Field(description="Size of a value that was too large to store.")] = (
        None
    )
    after_bytes: int | None = None
    hidden: Annotated[
        bool | None, Field(description="Whether the field is hidden, so that its value is not recorded.")
    ] = None


class Revision(RecordInput):
    """One write of an audited record, stored in the same transaction as the record."""

    record_type: str
    record_id: str
    record_version: Annotated[int, Field(description="Version of the record after the write.")]
    action: Literal["CREATE", "UPDATE", "DELETE", "ARCHIVE", "RESTORE"]
    written_at: Moment
    user_id: str
    subject: str
    impersonator_user_id: Annotated[
        str | None, Field(description="The user id of the user who acted as userId.")
    ] = None
    impersonator_subject: str | None = None
    acting_on_behalf_of_user_id: Annotated[
        str | None,
        Field(description="The user id of the person the caller acted for, as the caller named it."),
    ] = None
    acting_on_behalf_of_subject: str | None = None
    agent_ref_name: Annotated[str | None, Field(description="The agent whose tool wrote.")] = None
    request_id: str
    omitted: Annotated[int | None, Field(description="Number of changes that did not fit.")] = None
    changes: Annotated[
        list[RevisionChange], Field(description="The changed fields with their values before and after.")
    ]
