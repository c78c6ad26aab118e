"""Decision, from specs/system/decision.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import Moment, Record, RecordInput, Strict


class DecisionFields(Strict):
    """The fields that are both sent and read."""

    verdict: Literal["DENY"]
    reason: Annotated[str, Field(description="What the caller was told.")]
    decided_at: Moment
    realm: str
    request_id: str
    user_id: Annotated[str, Field(description="Who was refused.")]
    subject: str
    caller_roles: Annotated[list[str], Field(description="In the realm of the call.")]
    impersonator_user_id: Annotated[str | None, Field(description="Who really asked.")] = None
    impersonator_subject: str | None = None
    asked_area: Annotated[
        str | None, Field(description="Absent where the call was refused before it asked for anything.")
    ] = None
    asked_domain: str | None = None
    asked_action: str | None = None
    resource: Annotated[str | None, Field(description="The id of the record, where one was refused.")] = None
    applied_rules: Annotated[list[str], Field(description="The names of the permission rules that applied.")]
    expires_at: Annotated[Moment, Field(description="When it is forgotten.")]


class DecisionInput(DecisionFields, RecordInput):
    """A refusal (403) and what led to it, for the administrators of the caller's domain (as sent)."""


class Decision(DecisionFields, Record):
    """A refusal (403) and what led to it, for the administrators of the caller's domain."""
