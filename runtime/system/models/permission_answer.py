"""PermissionAnswer, from runtime/system/specs/security/permission_answer.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import Strict
from runtime.system.models.rule_in_force import RuleInForce
from runtime.system.models.rule_verdict import RuleVerdict


class PermissionAnswerAsked(Strict):
    """Part of PermissionAnswer."""

    identity: Annotated[str, Field(description="The user id that was checked.")]
    roles: Annotated[list[str], Field(description="The roles that were used.")]
    realm: Annotated[str, Field(description="The realm.")]
    scope: Annotated[dict[str, str], Field(description="The data domain that limits the caller.")]
    area: Annotated[str, Field(description="The functional area.")]
    functional_domain: Annotated[str, Field(description="The functional domain.")]
    action: Annotated[str, Field(description="The action.")]
    resource: Annotated[str | None, Field(description="The id of the record.")] = None


class PermissionAnswerAddedFilter(Strict):
    """Part of PermissionAnswer."""

    effect: Annotated[Literal["ALLOW", "DENY"], Field(description="Whether it allows or denies.")]
    rule: Annotated[str | None, Field(description="The name of the rule.")] = None
    filter: Annotated[str | None, Field(description="The records that match, in the filter language.")] = None
    resource_id: Annotated[str | None, Field(description="The id or refName that matches.")] = None


class PermissionAnswer(Strict):
    """A permission decision and the rules behind it."""

    decision: Annotated[
        Literal["ALLOW", "DENY"],
        Field(description="The decision. Without a resource, ALLOW means: for some records at least."),
    ]
    reasons: Annotated[
        list[str], Field(description="The reasons, in words, including those that are not permission rules.")
    ]
    asked: Annotated[PermissionAnswerAsked, Field(description="The question with its defaults filled in.")]
    winning_rule: Annotated[
        RuleInForce | None,
        Field(
            description="The rule that decided; absent if no rule applied or the decision depends on the record."
        ),
    ] = None
    rules: Annotated[list[RuleVerdict], Field(description="The rules, in evaluation order.")]
    added_filter: Annotated[
        list[PermissionAnswerAddedFilter] | None,
        Field(
            description="Conditions for a decision that depends on the record: the first that matches the record decides; the last one matches all."
        ),
    ] = None
    hidden_fields: Annotated[list[str], Field(description="Fields that rules hide from the caller.")]
