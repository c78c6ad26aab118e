"""DecisionTold, from specs/system/decision_told.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from generated.models.rule_verdict import RuleVerdict
from runtime.record import Moment, Strict


class DecisionTold(Strict):
    """A refusal as it was decided, and as it would be decided now."""

    id: str
    verdict: Literal["DENY"]
    reason: Annotated[str, Field(description="What the caller was told.")]
    decided_at: Moment
    realm: str
    request_id: str
    user_id: str
    subject: str
    roles: Annotated[list[str], Field(description="Those it had.")]
    impersonator_user_id: str | None = None
    impersonator_subject: str | None = None
    area: Annotated[
        str | None, Field(description="Absent where the call was refused before it asked for anything.")
    ] = None
    functional_domain: str | None = None
    action: str | None = None
    resource: Annotated[str | None, Field(description="The id of the record, where one was refused.")] = None
    applied_rules: Annotated[list[str], Field(description="The names of the rules that applied then.")]
    still_denied: Annotated[
        bool | None, Field(description="As of now; absent where that cannot be told.")
    ] = None
    reasons: Annotated[list[str], Field(description="Why it is decided so now.")]
    rules: Annotated[list[RuleVerdict], Field(description="As of now, in walking order.")]
