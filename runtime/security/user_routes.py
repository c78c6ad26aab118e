"""The answers of ``/security/users``: one route for each operation of spec 2 §5.3.

A user is ``…/userId/{userId}`` or ``…/subject/{subject}``, with the same routes below both. Callers reach the
users of the realm of the call that lie inside their own domain; all others are absent (404). What they may
do with those is said by ``user_rights.py``. The provider that owns a user does the work.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from runtime.call import Call
from runtime.errors import InvalidParameter
from runtime.seams import UserKey, UserManagement, Within
from runtime.security.documents import audit_of
from runtime.security.new_user import check_roles
from runtime.security.user_bodies import (
    ImpersonationGrant,
    PasswordReset,
    RealmOverrideGrant,
    RoleList,
    UserCreation,
    UserStatus,
    listed,
    new_user,
    told,
)
from runtime.security.user_rights import placed, require_grantable, require_manageable


@dataclass(frozen=True, slots=True)
class _Target:
    """A user to be changed, who may change it, and in which bounds."""

    manager: UserManagement
    key: UserKey
    within: Within


async def create(call: Call, body: UserCreation) -> Mapping[str, Any]:
    """POST /security/users."""
    check_roles(body.roles, call.service.catalog.roles)
    provider = call.service.provider
    manager, new = provider.manager_named(body.auth_provider_name), placed(call.principal, new_user(body))
    await provider.require_new_user_id(new.user_id, call.realm)
    call.turn.give_back()  # hashing has a queue of its own, and needs no store
    return told(await manager.create_user(new, _within(call)))


async def list_page(call: Call, *, skip: int, limit: int | None) -> Mapping[str, Any]:
    """GET /security/users: those of the store, by user id without case."""
    settings = call.service.settings
    size = settings.page_size if limit is None else limit
    if size > settings.max_page_size:
        raise InvalidParameter(f"limit: at most {settings.max_page_size}", parameter="limit")
    users = await call.service.provider.list_users(_within(call), skip, size)
    return {"offset": skip, "limit": size, "rows": [told(one) for one in users], "rowCount": len(users)}


async def get(call: Call, *, user_id: str | None = None, subject: str | None = None) -> Mapping[str, Any]:
    """GET …: the user."""
    manager, key = await _found(call, user_id, subject)
    return told(await manager.find_user(key, _within(call)))


async def exists(call: Call, *, user_id: str | None = None, subject: str | None = None) -> Mapping[str, Any]:
    """GET …/exists: inside the caller's domain."""
    manager, key = await _found(call, user_id, subject)
    if key.subject is not None:
        return {"exists": await manager.subject_exists(key.subject, _within(call))}
    return {"exists": await manager.user_id_exists(key.user_id or "", _within(call))}


async def names(call: Call, *, user_id: str | None = None, subject: str | None = None) -> Mapping[str, Any]:
    """GET …/subject and …/userId: the one for the other."""
    manager, key = await _found(call, user_id, subject)
    within = _within(call)
    if key.subject is not None:
        return {"userId": await manager.user_id_for(key.subject, within), "subject": key.subject}
    found = await manager.subject_for(key.user_id or "", within)
    return {"userId": await manager.user_id_for(found, within), "subject": found}


async def roles(call: Call, *, user_id: str | None = None, subject: str | None = None) -> Mapping[str, Any]:
    """GET …/roles."""
    manager, key = await _found(call, user_id, subject)
    return listed(await manager.roles(key, _within(call)))


async def assign_roles(
    call: Call, body: RoleList, *, user_id: str | None = None, subject: str | None = None
) -> Mapping[str, Any]:
    """PUT …/roles: these too."""
    target = await _target(call, user_id, subject)
    check_roles(body.roles, call.service.catalog.roles)
    require_grantable(call.principal, body.roles)
    return listed(await target.manager.assign_roles(target.key, body.roles, target.within))


async def remove_roles(
    call: Call, *, user_id: str | None = None, subject: str | None = None, roles: str
) -> Mapping[str, Any]:
    """DELETE …/roles?roles=a,b: these no more."""
    target = await _target(call, user_id, subject)
    named = [role.strip() for role in roles.split(",") if role.strip()]
    return listed(await target.manager.remove_roles(target.key, named, target.within))


async def remove(call: Call, *, user_id: str | None = None, subject: str | None = None) -> None:
    """DELETE …: the user and all its tokens. Its user id is not given out again."""
    target = await _target(call, user_id, subject)
    await call.service.provider.remove_user(target.manager, target.key, target.within)


async def set_status(
    call: Call, body: UserStatus, *, user_id: str | None = None, subject: str | None = None
) -> None:
    """PUT …/disabled."""
    target = await _target(call, user_id, subject)
    change = target.manager.disable_user if body.disabled else target.manager.enable_user
    await change(target.key, target.within)


async def reset_password(
    call: Call, body: PasswordReset, *, user_id: str | None = None, subject: str | None = None
) -> None:
    """PUT …/password."""
    target = await _target(call, user_id, subject)
    force = body.force_change_password is not False
    call.turn.give_back()
    await target.manager.reset_password(target.key, body.new_password, force, target.within)


async def enable_impersonation(
    call: Call, body: ImpersonationGrant, *, user_id: str | None = None, subject: str | None = None
) -> None:
    """PUT …/impersonation. As whom it may act is decided at each call; never beyond its tenant."""
    target = await _target(call, user_id, subject)
    await target.manager.enable_impersonation(target.key, body.filter_script, target.within)


async def disable_impersonation(
    call: Call, *, user_id: str | None = None, subject: str | None = None
) -> None:
    """DELETE …/impersonation."""
    target = await _target(call, user_id, subject)
    await target.manager.disable_impersonation(target.key, target.within)


async def enable_realm_override(
    call: Call, body: RealmOverrideGrant, *, user_id: str | None = None, subject: str | None = None
) -> None:
    """PUT …/realmOverride; the specification admits ``system`` alone."""
    target = await _target(call, user_id, subject)
    await target.manager.enable_realm_override(target.key, body.realm_reg_ex, target.within)


async def disable_realm_override(
    call: Call, *, user_id: str | None = None, subject: str | None = None
) -> None:
    """DELETE …/realmOverride."""
    target = await _target(call, user_id, subject)
    await target.manager.disable_realm_override(target.key, target.within)


def _within(call: Call) -> Within:
    return Within(call.realm, call.principal.scope, audit_of(call.principal))


async def _found(call: Call, user_id: str | None, subject: str | None) -> tuple[UserManagement, UserKey]:
    key = UserKey(user_id=user_id, subject=subject)
    return await call.service.provider.manager_of(key, _within(call)), key


async def _target(call: Call, user_id: str | None, subject: str | None) -> _Target:
    """Raises ``NotFound``, ``OwnAccount``, and ``Denied`` for who may do more than the caller."""
    manager, key = await _found(call, user_id, subject)
    within = _within(call)
    user = await manager.find_user(key, within)
    require_manageable(call.principal, user)
    return _Target(manager, UserKey(subject=user.subject), within)
