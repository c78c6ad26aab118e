"""What an administrator may do to users: nothing beyond the administrator's own privileges. Pure.

A caller that sets a user's password can log in as that user. Administrators can therefore only manage users
whose roles, domain and impersonation rights they hold themselves. Only the operator is exempt.
"""

from collections.abc import Collection
from dataclasses import replace
from typing import TypeVar

from runtime.errors import Denied, OwnAccount
from runtime.principal import Principal
from runtime.rights import Rights
from runtime.seams import NewUser, User

T = TypeVar("T")


def require_grantable(rights: Rights, roles: Collection[str]) -> None:
    """Raise ``Denied`` for roles that the caller does not have in this realm."""
    if beyond := rights.beyond(roles):
        raise Denied(f"you cannot give or take the role {beyond[0][:100]}: you do not have it here")


def require_not_own(principal: Principal, user: User) -> None:
    """Raise ``OwnAccount`` for the caller itself, also while it acts as another user."""
    acting = principal.impersonator
    if user.subject in (principal.subject, acting and acting.subject):
        raise OwnAccount("this is your own account: another must do it; passwords at POST /security/password")


def require_manageable(rights: Rights, user: User, reach: Rights | None) -> None:
    """Raise ``Denied`` for a user who has more than the caller. ``reach`` bounds as whom they may act."""
    if not rights.covers(user, reach):
        raise Denied("this user may do more than you: someone with the same roles or system must do it")


def require_operator(rights: Rights) -> None:
    """Raise ``Denied`` for a caller that may not open other realms to a user."""
    if not rights.is_operator:
        raise Denied(
            "only the role system, in the default realm of the service, opens other realms to a user"
        )


def placed(principal: Principal, rights: Rights, new: NewUser) -> NewUser:
    """Complete a new user with the caller's own data domain where the body names none.

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
    require_grantable(rights, made.roles)
    if made.realms or made.realm_roles or made.realm_reg_ex:
        require_operator(rights)
    return made


def _inside(name: str, asked: T | None, bound: T | None) -> T | None:
    if asked is not None and bound is not None and asked != bound:
        raise Denied(f"{name} is outside your own domain: leave it out to use yours")
    return bound if asked is None else asked
