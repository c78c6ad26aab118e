"""EffectiveRules, from runtime/system/specs/security/effective_rules.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict
from runtime.system.models.rule_in_force import RuleInForce


class EffectiveRules(Strict):
    """The permission rules in force for the callers of a domain in a realm."""

    realm: Annotated[str, Field(description="The realm of the call.")]
    rules: Annotated[list[RuleInForce], Field(description="The rules, in evaluation order.")]
