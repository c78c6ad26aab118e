"""EffectiveRules, from specs/system/effective_rules.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from generated.models.rule_in_force import RuleInForce
from runtime.model.record import Strict


class EffectiveRules(Strict):
    """The permission rules in force for the callers of a domain in a realm."""

    realm: Annotated[str, Field(description="The realm of the call.")]
    rules: Annotated[list[RuleInForce], Field(description="The rules, in evaluation order.")]
