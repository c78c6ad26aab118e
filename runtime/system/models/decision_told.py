"""DecisionTold, from runtime/system/specs/security/decision_told.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import Moment, Strict
from runtime.system.models.rule_verdict import RuleVerdict


class DecisionTold(Strict):
    """A refusal as it was decided, and how it would be decided now."""

    id: Annotated[str, Field(description="The decision id of the refusal.")]
    verdict: Annotated[Literal["DENY"], Field(description="The decision.")]
    reason: Annotated[str, Field(description="The reason returned to the caller.")]
    decided_at: Annotated[Moment, Field(description="When it was decided.")]
    realm: Annotated[str, Field(description="The realm of the call.")]
    request_id: Annotated[str, Field(description="The request id of the refused call.")]
    user_id: Annotated[str, Field(description="The user id of the caller.")]
    subject: Annotated[str, Field(description="The subject of the caller.")]
    roles: Annotated[list[str], Field(description="The caller's roles at that time.")]
    impersonator_user_id: Annotated[
        str | None, Field(description="The user id of the user who acted as the caller.")
    ] = None
    impersonator_subject: Annotated[str | None, Field(description="The subject of that user.")] = None
    area: Annotated[
        str | None,
        Field(
            description="The functional area; absent if the call was refused before an action was checked."
        ),
    ] = None
    functional_domain: Annotated[str | None, Field(description="The functional domain that was checked.")] = (
        None
    )
    action: Annotated[str | None, Field(description="The action that was checked.")] = None
    resource: Annotated[
        str | None, Field(description="The id of the record, if access to one record was refused.")
    ] = None
    applied_rules: Annotated[
        list[str], Field(description="Names of the permission rules that applied at that time.")
    ]
    still_denied: Annotated[
        bool | None,
        Field(description="Whether the call would be denied now; absent if that cannot be determined."),
    ] = None
    reasons: Annotated[list[str], Field(description="The reasons for the current decision.")]
    rules: Annotated[list[RuleVerdict], Field(description="The rules in force now, in evaluation order.")]
