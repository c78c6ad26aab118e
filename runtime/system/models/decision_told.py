"""DecisionTold, from runtime/system/specs/security/decision_told.yaml. Written by the generator; do not edit."""

from typing import Literal

from runtime.model.record import Moment, Strict
from runtime.system.models.rule_verdict import RuleVerdict


class DecisionTold(Strict):
    """A refusal as it was decided, and how it would be decided now."""

    id: str
    verdict: Literal["DENY"]
    reason: str
    decided_at: Moment
    realm: str
    request_id: str
    user_id: str
    subject: str
    roles: list[str]
    impersonator_user_id: str | None = None
    impersonator_subject: str | None = None
    area: str | None = None
    functional_domain: str | None = None
    action: str | None = None
    resource: str | None = None
    applied_rules: list[str]
    still_denied: bool | None = None
    reasons: list[str]
    rules: list[RuleVerdict]
