"""PermissionRule, from runtime/system/specs/security/permission_rule.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Record, RecordInput, Strict


class PermissionRuleSecurityURIHeader(Strict):
    """Part of PermissionRule."""

    identity: Annotated[
        str | None,
        Field(
            max_length=200,
            min_length=1,
            description="A role or a user id; user:ann matches the user id ann only, never a role.",
        ),
    ] = None
    area: Annotated[str | None, Field(max_length=200, min_length=1, description="The functional area.")] = (
        None
    )
    functional_domain: Annotated[
        str | None, Field(max_length=200, min_length=1, description="The functional domain.")
    ] = None
    action: Annotated[str | None, Field(max_length=200, min_length=1, description="The action.")] = None


class PermissionRuleSecurityURIBody(Strict):
    """Part of PermissionRule."""

    realm: Annotated[
        str | None, Field(max_length=200, min_length=1, description="The realm of the call.")
    ] = None
    account_number: Annotated[
        str | None, Field(max_length=200, min_length=1, description="The caller's account.")
    ] = None
    tenant_id: Annotated[
        str | None, Field(max_length=200, min_length=1, description="The caller's tenant.")
    ] = None
    data_segment: Annotated[
        str | None, Field(max_length=200, min_length=1, description="The caller's data segment.")
    ] = None
    owner_id: Annotated[
        str | None, Field(max_length=200, min_length=1, description="The caller's user id.")
    ] = None
    resource_id: Annotated[
        str | None, Field(max_length=200, min_length=1, description="The id or refName of the record.")
    ] = None


class PermissionRuleSecurityURI(Strict):
    """Part of PermissionRule."""

    header: Annotated[
        PermissionRuleSecurityURIHeader | None, Field(description="The calls that the rule matches.")
    ] = None
    body: Annotated[
        PermissionRuleSecurityURIBody | None,
        Field(description="The callers and the record that the rule matches."),
    ] = None


class PermissionRuleFields(Strict):
    """The fields that are both sent and read."""

    name: Annotated[str, Field(max_length=200, min_length=1, description="The name of the rule.")]
    description: Annotated[str | None, Field(max_length=2000, description="What the rule is for.")] = None
    security_u_r_i: Annotated[PermissionRuleSecurityURI, Field(description="What the rule matches.")]
    effect: Annotated[
        str, Field(max_length=50, min_length=1, description="ALLOW allows; any other value denies.")
    ]
    priority: Annotated[
        int | None,
        Field(
            ge=-900,
            le=1000000,
            description="Rules are evaluated in ascending priority; built-in rules (-1000 and below) come first.",
        ),
    ] = 10
    final_rule: Annotated[
        bool | None, Field(description="Whether evaluation ends when the rule applies.")
    ] = False
    filter: Annotated[
        str | None,
        Field(
            max_length=2000,
            min_length=1,
            description="A filter: the rule applies only to records that match.",
        ),
    ] = None
    hidden_fields: Annotated[
        list[Annotated[str, Field(max_length=200, min_length=1)]] | None,
        Field(max_length=200, description="Dotted names of fields that an ALLOW rule hides."),
    ] = None
    enabled: Annotated[bool | None, Field(description="Whether the rule is evaluated.")] = True


class PermissionRuleInput(PermissionRuleFields, RecordInput):
    """A permission rule. It applies only to callers inside its own data domain. Patterns ignore case; * matches any characters, ? one character, and an absent pattern is *. Rules are evaluated by ascending priority, then name (as sent)."""


class PermissionRule(PermissionRuleFields, Record):
    """A permission rule. It applies only to callers inside its own data domain. Patterns ignore case; * matches any characters, ? one character, and an absent pattern is *. Rules are evaluated by ascending priority, then name."""
