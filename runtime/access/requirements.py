"""What a call asks of the rules, and what its caller must have: a tenant, a role, a scope, a rule."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from runtime.call import Call
from runtime.errors import Denied
from runtime.model.record_type import RecordType
from runtime.permissions import Question
from runtime.permissions.token_scopes import find_missing_scope
from runtime.principal import SHARED, SYSTEM, Principal


@dataclass(frozen=True, slots=True, eq=False)
class RefusedQuestion:
    """The subject of a refusal: ``kind`` is None for an endpoint, ``is_stored`` false for a new record."""

    question: Question
    kind: RecordType[Any] | None = None
    document: Mapping[str, Any] | None = None
    is_stored: bool = False


def build_question(call: Call, *, area: str, domain: str, action: str) -> Question:
    """Build the question that the rules answer about a call."""
    principal, own = call.principal, call.principal.domain
    return Question(
        user_id=principal.user_id,
        roles=principal.roles,
        area=area,
        domain=domain,
        action=action,
        realm=call.realm,
        tenant_id=own.tenant_id,
        org_ref_name=own.org_ref_name,
        account_id=own.account_id,
        data_segment=own.data_segment,
    )


def require_tenant(principal: Principal) -> None:
    """Raise ``Denied`` for a caller that belongs to no tenant or organisation, unless it is ``system``."""
    own = principal.domain
    if (not own.tenant_id or own.org_ref_name == SHARED) and SYSTEM not in principal.roles:
        raise Denied("your credential belongs to no tenant or organisation: ask your administrator")


def find_missing_role(principal: Principal, roles: Collection[str]) -> str | None:
    """Name the roles of which a caller lacks all; None where it has one, or is ``system``."""
    if SYSTEM in principal.roles or not principal.roles.isdisjoint(roles):
        return None
    return " or ".join(sorted(roles)) or SYSTEM


def require_role(principal: Principal, roles: Collection[str], refused: RefusedQuestion) -> None:
    """Raise ``Denied`` for a caller that has none of the roles."""
    if (needed := find_missing_role(principal, roles)) is not None:
        raise Denied(f"this needs the role {needed} in this realm", decided=refused)


def require_scope(principal: Principal, refused: RefusedQuestion) -> None:
    """Raise ``Denied`` where the token is narrowed to scopes that do not name the action in its area.

    It comes last: a caller that lacks more than a scope would get another token in vain.
    """
    asked = refused.question
    limits, requestable = principal.scopes, principal.client_scopes
    if (needed := find_missing_scope(limits, asked.area, asked.action, requestable)) is not None:
        raise Denied(f"the token lacks the scope {needed}", decided=refused, scope=needed)


def denied_by_rules(refused: RefusedQuestion, what: str, is_denial: bool) -> Denied:
    """Build the refusal of what the rules do not allow.

    ``is_denial``: a rule denies it. It must follow from no value of a record, so that it reveals none.
    """
    why = "denied by a permission rule: you may not" if is_denial else "no permission rule allows you to"
    return Denied(f"{why} {what}", decided=refused)
