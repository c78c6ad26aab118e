"""RuleVerdict, from runtime/system/specs/security/rule_verdict.yaml. Written by the generator; do not edit."""

from runtime.model.record import Strict
from runtime.system.models.rule_in_force import RuleInForce


class RuleVerdict(Strict):
    """How one rule was evaluated. Each rule that applied overrides the decision of those before it; a final rule ends the evaluation."""

    rule: RuleInForce
    matched: bool
    some_records: bool | None = None
    why: list[str]
    applied: bool
    decided: bool
