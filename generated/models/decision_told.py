"""DecisionTold, from specs/system/decision_told.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from generated.models.rule_verdict import RuleVerdict
from runtime.model.record import Moment, Strict


class DecisionTold(Strict):
    """A refusal as it was decided, and as it would be decided now."""

    id: Annotated[str, Field(description="The decision id of the refusal.")]
    verdict: Annotated[Literal["DENY"], Field(description="What was decided.")]
    reason: Annotated[str, Field(description="What the caller was told.")]
    decided_at: Annotated[Moment, Field(description="When it was decided.")]
    realm: Annotated[str, Field(description="The realm of the call.")]
    request_id: Annotated[str, Field(description="The request id of the refused call.")]
    user_id: Annotated[str, Field(description="The user id of the caller.")]
    subject: Annotated[str, Field(description="The subject of the caller.")]
    roles: Annotated[list[str], Field(description="Those it had.")]
    impersonator_user_id: Annotated[
        str | None, Field(description="The user id of the user who acted as the caller.")
    ] = None
    impersonator_subject: Annotated[str | None, Field(description="The subject of that user.")] = None
    area: Annotated[
        str | None, Field(description="Absent where the call was refused before it asked for anything.")
    ] = None
    functional_domain: Annotated[
        str | None, Field(description="The functional domain that was asked about.")
    ] = None
    action: Annotated[str | None, Field(description="The action that was asked about.")] = None
    resource: Annotated[str | None, Field(description="The id of the record, where one was refused.")] = None
    applied_rules: Annotated[list[str], Field(description="The names of the rules that applied then.")]
    still_denied: Annotated[
        bool | None, Field(description="As of now; absent where that cannot be told.")
    ] = None
    reasons: Annotated[list[str], Field(description="Why it is decided so now.")]
    rules: Annotated[list[RuleVerdict], Field(description="As of now, in walking order.")]
