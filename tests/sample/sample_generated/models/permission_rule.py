"""PermissionRule, from specs/system/permission_rule.yaml. Written by the generator; do not edit."""

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
            description="A role or a user id; user:ann is the user id ann, never a role.",
        ),
    ] = None
    area: Annotated[str | None, Field(max_length=200, min_length=1)] = None
    functional_domain: Annotated[str | None, Field(max_length=200, min_length=1)] = None
    action: Annotated[str | None, Field(max_length=200, min_length=1)] = None


class PermissionRuleSecurityURIBody(Strict):
    """Part of PermissionRule."""

    realm: Annotated[str | None, Field(max_length=200, min_length=1)] = None
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

    header: Annotated[PermissionRuleSecurityURIHeader | None, Field(description="Which calls.")] = None
    body: Annotated[
        PermissionRuleSecurityURIBody | None, Field(description="Whose calls, and which record.")
    ] = None


class PermissionRuleFields(Strict):
    """The fields that are both sent and read."""

    name: Annotated[str, Field(max_length=200, min_length=1)]
    description: Annotated[str | None, Field(max_length=2000)] = None
    security_u_r_i: Annotated[PermissionRuleSecurityURI, Field(description="What the rule matches.")]
    effect: Annotated[str, Field(max_length=50, min_length=1, description="ALLOW; anything else denies.")]
    priority: Annotated[
        int | None,
        Field(
            ge=-900,
            le=1000000,
            description="Rules are walked in ascending order, the built-in ones (-1000 and less) first.",
        ),
    ] = 10
    final_rule: Annotated[bool | None, Field(description="Ends the walk when it applies.")] = False
    filter: Annotated[
        str | None,
        Field(max_length=2000, min_length=1, description="The rule speaks only of records that match."),
    ] = None
    hidden_fields: Annotated[
        list[Annotated[str, Field(max_length=200, min_length=1)]] | None,
        Field(max_length=200, description="Dotted names that an ALLOW takes away."),
    ] = None
    enabled: Annotated[bool | None, Field(description="false: kept, but not walked.")] = True


class PermissionRuleInput(PermissionRuleFields, RecordInput):
    """Who may do what (spec 2 §2.4). A rule speaks only of callers inside its own data domain. Patterns are compared without case; * is any run, ? one character, and a missing one is *. Rules are walked by ascending priority, then name (as sent)."""


class PermissionRule(PermissionRuleFields, Record):
    """Who may do what (spec 2 §2.4). A rule speaks only of callers inside its own data domain. Patterns are compared without case; * is any run, ? one character, and a missing one is *. Rules are walked by ascending priority, then name."""
