"""Revision, from runtime/system/specs/system/revision.yaml. Written by the generator; do not edit."""

from typing import Any, Literal

from runtime.model.record import Moment, RecordInput, Strict


class RevisionChange(Strict):
    """Part of Revision."""

    path: str
    before: Any = None
    after: Any = None
    before_bytes: int | None = None
    after_bytes: int | None = None
    hidden: bool | None = None


class Revision(RecordInput):
    """One write of an audited record, stored in the same transaction as the record."""

    record_type: str
    record_id: str
    record_version: int
    action: Literal["CREATE", "UPDATE", "DELETE", "ARCHIVE", "RESTORE"]
    written_at: Moment
    user_id: str
    subject: str
    impersonator_user_id: str | None = None
    impersonator_subject: str | None = None
    acting_on_behalf_of_user_id: str | None = None
    acting_on_behalf_of_subject: str | None = None
    agent_ref_name: str | None = None
    request_id: str
    omitted: int | None = None
    changes: list[RevisionChange]
