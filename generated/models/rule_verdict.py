"""RuleVerdict, from specs/system/rule_verdict.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from generated.models.rule_in_force import RuleInForce
from runtime.model.record import Strict


class RuleVerdict(Strict):
    """What became of one rule. Whoever overwrites with each that applied, up to a final one, has the decision."""

    rule: Annotated[RuleInForce, Field(description="The rule.")]
    matched: Annotated[bool, Field(description="It speaks of the question and of the record.")]
    some_records: Annotated[
        bool | None, Field(description="true: no record was named, and it speaks of some.")
    ] = None
    why: Annotated[list[str], Field(description="What did not match.")]
    applied: Annotated[bool, Field(description="It matched and the walk came to it.")]
    decided: Annotated[bool, Field(description="Its effect is the one that stood.")]
