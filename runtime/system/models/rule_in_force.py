"""RuleInForce, from runtime/system/specs/security/rule_in_force.yaml. Written by the generator; do not edit."""

from typing import Literal

from runtime.model.record import Strict


class RuleInForceSecurityURI(Strict):
    """Part of RuleInForce."""

    header: dict[str, str]
    body: dict[str, str]


class RuleInForce(Strict):
    """A permission rule as it is evaluated. Members of securityURI that match anything are omitted."""

    name: str
    description: str | None = None
    source: Literal["specification", "record"]
    effect: Literal["ALLOW", "DENY"]
    priority: int
    final_rule: bool
    security_u_r_i: RuleInForceSecurityURI
    filter: str | None = None
    hidden_fields: list[str]
    holds_in: dict[str, str]
