"""RuleInForce, from specs/system/rule_in_force.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import Strict


class RuleInForceSecurityURI(Strict):
    """Part of RuleInForce."""

    header: Annotated[dict[str, str], Field(description="Which calls.")]
    body: Annotated[dict[str, str], Field(description="Whose calls, and which record.")]


class RuleInForce(Strict):
    """A permission rule as it is walked. Members of securityURI that match anything are left out."""

    name: Annotated[str, Field(description="The name of the rule.")]
    description: Annotated[str | None, Field(description="What the rule is for.")] = None
    source: Annotated[
        Literal["specification", "record"],
        Field(description="Built in, or a record at /security/permission/rules."),
    ]
    effect: Annotated[Literal["ALLOW", "DENY"], Field(description="Whether it allows or denies.")]
    priority: Annotated[int, Field(description="Rules of a lower number are looked at first.")]
    final_rule: Annotated[bool, Field(description="Ends the walk when it applies.")]
    security_u_r_i: Annotated[RuleInForceSecurityURI, Field(description="Which calls the rule is about.")]
    filter: Annotated[str | None, Field(description="The rule speaks only of records that match.")] = None
    hidden_fields: Annotated[list[str], Field(description="What it takes away.")]
    holds_in: Annotated[
        dict[str, str], Field(description="The data domain of the callers that it speaks of; empty for all.")
    ]
