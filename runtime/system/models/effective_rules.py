"""EffectiveRules, from runtime/system/specs/security/effective_rules.yaml. Written by the generator; do not edit."""

from runtime.model.record import Strict
from runtime.system.models.rule_in_force import RuleInForce


class EffectiveRules(Strict):
    """The permission rules in force for the callers of a domain in a realm."""

    realm: str
    rules: list[RuleInForce]
