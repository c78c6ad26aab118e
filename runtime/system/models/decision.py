"""Decision, from runtime/system/specs/security/decision.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import Moment, RecordInput


class Decision(RecordInput):
    """A refusal (403) and the rules behind it, for administrators of the caller's domain."""

    verdict: Literal["DENY"]
    reason: Annotated[str, Field(description="The reason returned to the caller.")]
    decided_at: Moment
    realm: str
    request_id: str
    user_id: Annotated[str, Field(description="The user id of the refused caller.")]
    subject: str
    caller_roles: Annotated[list[str], Field(description="In the realm of the call.")]
    impersonator_user_id: Annotated[
        str | None, Field(description="The user id of the user who impersonated the caller.")
    ] = None
    impersonator_subject: str | None = None
    asked_area: Annotated[
        str | None,
        Field(
            description="The functional area; absent if the call was refused before an action was checked."
        ),
    ] = None
    asked_domain: str | None = None
    asked_action: str | None = None
    resource: Annotated[
        str | None, Field(description="The id of the record, if access to one record was refused.")
    ] = None
    applied_rules: Annotated[list[str], Field(description="Names of the permission rules that applied.")]
    expires_at: Annotated[Moment, Field(description="When the record is deleted.")]
