"""RuleInForce, from runtime/system/specs/security/rule_in_force.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import Strict


class RuleInForceSecurityURI(Strict):
    """Part of RuleInForce."""

    header: Annotated[dict[str, str], Field(description="The calls that the rule matches.")]
    body: Annotated[dict[str, str], Field(description="The callers and the record that the rule matches.")]


class RuleInForce(Strict):
    """A permission rule as it is evaluated. Members of securityURI that match anything are omitted."""

    name: Annotated[str, Field(description="The name of the rule.")]
    description: Annotated[str | None, Field(description="What the rule is for.")] = None
    source: Annotated[
        Literal["specification", "record"],
        Field(description="Where the rule comes from: built in, or a record at /security/permission/rules."),
    ]
    effect: Annotated[Literal["ALLOW", "DENY"], Field(description="Whether it allows or denies.")]
    priority: Annotated[int, Field(description="Rules with lower numbers are evaluated first.")]
    final_rule: Annotated[bool, Field(description="Whether evaluation ends when the rule applies.")]
    security_u_r_i: Annotated[RuleInForceSecurityURI, Field(description="What the rule matches.")]
    filter: Annotated[
        str | None, Field(description="A filter: the rule applies only to records that match.")
    ] = None
    hidden_fields: Annotated[list[str], Field(description="Dotted names of fields that the rule hides.")]
    holds_in: Annotated[
        dict[str, str],
        Field(description="The data domain of the callers that the rule applies to; empty for all."),
    ]
