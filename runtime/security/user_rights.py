"""What an administrator may do to users: never more than it has itself (decisions §3). Pure.

Who a user is and where it stands bounds what may be done with it: whoever sets a password can log in with
it, so managing a user is having all that the user has. The role ``system`` alone is bound to nothing.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import TypeVar

from runtime.errors import Denied, OwnAccount
from runtime.principal import Principal
from runtime.seams import NewUser, User

T = TypeVar("T")

_SYSTEM = "system"
_INCLUDED = {"admin": frozenset({"user"})}
"""What holders of a role can do with users beside their own: ``admin`` may all that ``user`` may."""


def require_grantable(principal: Principal, roles: Collection[str]) -> None:
    """Raises ``Denied`` for roles that the caller does not have in this realm."""
    beyond = sorted(set(roles) - _own(principal))
    if beyond and _SYSTEM not in principal.roles:
        raise Denied(f"you cannot give or take the role {beyond[0][:100]}: you do not have it here")


def require_manageable(principal: Principal, user: User) -> None:
    """Raises ``Denied`` for a user who has more than the caller, ``OwnAccount`` for the caller itself."""
    if user.subject == principal.subject:
        raise OwnAccount("this is your own account: another must do it; passwords at POST /security/password")
    if _SYSTEM in principal.roles:
        return
    roles = user.roles.union(*user.realm_roles.values())
    if roles - _own(principal) or user.realms or user.realm_reg_ex or user.area_realms:
        raise Denied("this user may do more than you: someone with the same roles or system must do it")


def placed(principal: Principal, new: NewUser) -> NewUser:
    """The user where the caller stands, as far as nothing else is said.

    Raises ``Denied`` for a place outside the caller's scope, and for realms or roles beyond its own.
    """
    scope, own = principal.scope, principal.domain
    made = replace(
        new,
        tenant_id=new.tenant_id or own.tenant_id,
        org_ref_name=_inside("orgRefName", new.org_ref_name, scope.org_ref_name),
        account_id=_inside("accountId", new.account_id, scope.account_id),
        data_segment=_inside("dataSegment", new.data_segment, scope.data_segment),
    )
    _inside("tenantId", made.tenant_id, scope.tenant_id)
    require_grantable(principal, made.roles)
    if (made.realms or made.realm_roles or made.realm_reg_ex) and _SYSTEM not in principal.roles:
        raise Denied("only the role system opens other realms to a user")
    return made


def _own(principal: Principal) -> frozenset[str]:
    return principal.roles.union(*(_INCLUDED.get(role, frozenset()) for role in principal.roles))


def _inside(name: str, asked: T | None, bound: T | None) -> T | None:
    if asked is not None and bound is not None and asked != bound:
        raise Denied(f"{name} lies outside your own domain: leave it out to use yours")
    return bound if asked is None else asked
