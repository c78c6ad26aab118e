"""PermissionAnswer, from runtime/system/specs/security/permission_answer.yaml. Written by the generator; do not edit."""

from typing import Literal

from runtime.model.record import Strict
from runtime.system.models.rule_in_force import RuleInForce
from runtime.system.models.rule_verdict import RuleVerdict


class PermissionAnswerAsked(Strict):
    """Part of PermissionAnswer."""

    identity: str
    roles: list[str]
    realm: str
    scope: dict[str, str]
    area: str
    functional_domain: str
    action: str
    resource: str | None = None


class PermissionAnswerAddedFilter(Strict):
    """Part of PermissionAnswer."""

    effect: Literal["ALLOW", "DENY"]
    rule: str | None = None
    filter: str | None = None
    resource_id: str | None = None


class PermissionAnswer(Strict):
    """A permission decision and the rules behind it."""

    decision: Literal["ALLOW", "DENY"]
    reasons: list[str]
    asked: PermissionAnswerAsked
    winning_rule: RuleInForce | None = None
    rules: list[RuleVerdict]
    added_filter: list[PermissionAnswerAddedFilter] | None = None
    hidden_fields: list[str]
