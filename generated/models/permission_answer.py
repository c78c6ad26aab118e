"""PermissionAnswer, from specs/system/permission_answer.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from generated.models.rule_in_force import RuleInForce
from generated.models.rule_verdict import RuleVerdict
from runtime.model.record import Strict


class PermissionAnswerAsked(Strict):
    """Part of PermissionAnswer."""

    identity: Annotated[str, Field(description="The user id that was asked about.")]
    roles: Annotated[list[str], Field(description="The roles that were assumed.")]
    realm: Annotated[str, Field(description="The realm.")]
    scope: Annotated[dict[str, str], Field(description="The data domain it is bound to.")]
    area: Annotated[str, Field(description="The functional area.")]
    functional_domain: Annotated[str, Field(description="The functional domain.")]
    action: Annotated[str, Field(description="The action.")]
    resource: Annotated[str | None, Field(description="The id of the record.")] = None


class PermissionAnswerAddedFilter(Strict):
    """Part of PermissionAnswer."""

    effect: Annotated[Literal["ALLOW", "DENY"], Field(description="Whether it allows or denies.")]
    rule: Annotated[str | None, Field(description="Its name.")] = None
    filter: Annotated[str | None, Field(description="The records it is about, in the filter language.")] = (
        None
    )
    resource_id: Annotated[str | None, Field(description="The id or refName it is about.")] = None


class PermissionAnswer(Strict):
    """The decision on a question, and all that led to it."""

    decision: Annotated[
        Literal["ALLOW", "DENY"],
        Field(description="ALLOW where no record was named: of some records at least."),
    ]
    reasons: Annotated[
        list[str], Field(description="Why, in words; what is not a matter of rules stands here alone.")
    ]
    asked: Annotated[PermissionAnswerAsked, Field(description="The question, as it was understood.")]
    winning_rule: Annotated[
        RuleInForce | None,
        Field(
            description="The rule that stood; absent where none applied, or where it depends on the record."
        ),
    ] = None
    rules: Annotated[list[RuleVerdict], Field(description="In walking order.")]
    added_filter: Annotated[
        list[PermissionAnswerAddedFilter] | None,
        Field(
            description="Where it depends on the record: the first of these that speaks of it decides. The last one speaks of all."
        ),
    ] = None
    hidden_fields: Annotated[list[str], Field(description="What rules take away.")]
