"""RuleVerdict, from runtime/system/specs/security/rule_verdict.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict
from runtime.system.models.rule_in_force import RuleInForce


class RuleVerdict(Strict):
    """How one rule was evaluated. Each rule that applied overrides the decision of those before it; a final rule ends the evaluation."""

    rule: Annotated[RuleInForce, Field(description="The rule.")]
    matched: Annotated[bool, Field(description="Whether the rule matches the question and the record.")]
    some_records: Annotated[
        bool | None,
        Field(
            description="Whether the rule matches only some records; set when the question names no record."
        ),
    ] = None
    why: Annotated[list[str], Field(description="The conditions that did not match.")]
    applied: Annotated[bool, Field(description="Whether the rule matched and was reached.")]
    decided: Annotated[bool, Field(description="Whether the effect of this rule is the decision.")]
