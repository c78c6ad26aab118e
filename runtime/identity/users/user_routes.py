"""The routes of ``/security/users``: one for each operation.

A user is ``…/userId/{userId}`` or ``…/subject/{subject}``, with the same routes below both. Callers reach the
users of the call's realm inside their own domain; all others are absent (404). ``user_rights.py`` decides
what they may do with those. The provider that owns a user does the work.
"""

from typing import Unpack

from runtime.call import Call
from runtime.errors import InvalidParameter
from runtime.identity.credentials.new_user import check_roles
from runtime.identity.users.user_bodies import new_user, render_roles, render_user
from runtime.identity.users.user_rights import placed, require_grantable, require_operator
from runtime.identity.users.user_target import (
    Named,
    Target,
    change_user,
    find_manager,
    locate_user,
    read_rights,
    users_within,
)
from runtime.identity.users.users import check_known, seed_tenant_of
from runtime.storage.wire import Json, to_json
from runtime.system import answers
from runtime.system.models.impersonation_grant import ImpersonationGrant
from runtime.system.models.password_reset import PasswordReset
from runtime.system.models.realm_override_grant import RealmOverrideGrant
from runtime.system.models.role_list import RoleList
from runtime.system.models.user_account import UserAccount
from runtime.system.models.user_creation import UserCreation
from runtime.system.models.user_status import UserStatus


async def create(call: Call, body: UserCreation) -> Json[UserAccount]:
    """POST /security/users."""
    check_roles(body.roles, call.service.catalog.roles)
    provider = call.service.provider
    manager = provider.manager_named(body.auth_provider_name)
    new = placed(call.principal, await read_rights(call), new_user(body))
    await provider.require_new_user_id(new.user_id, call.realm)
    call.turn.give_back()  # hashing has a queue of its own, and needs no store
    created = await manager.create_user(new, users_within(call))
    await seed_tenant_of(call.service, call.realm, new)
    return Json(to_json(render_user(created)), 201, {"Location": locate_user(call, created.subject)})


async def list_page(call: Call, *, skip: int, limit: int | None) -> answers.UserPageBody:
    """GET /security/users: those of the store, by user id without case."""
    settings = call.service.settings
    size = min(settings.page_size, settings.max_page_size) if limit is None else limit
    if size > settings.max_page_size:
        raise InvalidParameter(f"limit may be at most {settings.max_page_size}", parameter="limit")
    rows = [
        render_user(one) for one in await call.service.provider.list_users(users_within(call), skip, size)
    ]
    return {"offset": skip, "limit": size, "rows": rows, "rowCount": len(rows)}


async def get(call: Call, **named: Unpack[Named]) -> answers.UserAccountBody:
    """GET …: the user."""
    manager, key = await find_manager(call, named)
    return render_user(await manager.find_user(key, users_within(call)))


async def check_existence(call: Call, **named: Unpack[Named]) -> answers.UserExistenceBody:
    """GET …/exists: inside the caller's domain."""
    manager, key = await find_manager(call, named)
    return {"exists": await check_known(manager, key, users_within(call))}


async def find_names(call: Call, **named: Unpack[Named]) -> answers.UserNamesBody:
    """GET …/subject and …/userId: the one for the other."""
    manager, key = await find_manager(call, named)
    within = users_within(call)
    subject = key.subject or await manager.find_subject(key.user_id or "", within)
    return {"userId": await manager.find_user_id(subject, within), "subject": subject}


async def list_roles(call: Call, **named: Unpack[Named]) -> answers.RoleListBody:
    """GET …/roles."""
    manager, key = await find_manager(call, named)
    return render_roles(await manager.list_roles(key, users_within(call)))


async def assign_roles(call: Call, body: RoleList, **named: Unpack[Named]) -> answers.RoleListBody:
    """PUT …/roles: these too."""

    async def assign(to: Target) -> answers.RoleListBody:
        check_roles(body.roles, call.service.catalog.roles)
        require_grantable(to.rights, body.roles)
        return render_roles(await to.manager.assign_roles(to.key, body.roles, to.within))

    return await change_user(call, named, assign)


async def remove_roles(call: Call, *, roles: str, **named: Unpack[Named]) -> answers.RoleListBody:
    """DELETE …/roles?roles=a,b: these no more."""
    given_up = [role.strip() for role in roles.split(",") if role.strip()]

    async def take(of: Target) -> answers.RoleListBody:
        return render_roles(await of.manager.remove_roles(of.key, given_up, of.within))

    return await change_user(call, named, take)


async def remove(call: Call, **named: Unpack[Named]) -> None:
    """DELETE …: the user and all its tokens. Its user id is not given out again."""
    provider = call.service.provider
    await change_user(call, named, lambda of: provider.remove_user(of.manager, of.key, of.within))


async def set_status(call: Call, body: UserStatus, **named: Unpack[Named]) -> None:
    """PUT …/disabled."""

    async def change_status(of: Target) -> None:
        change = of.manager.disable_user if body.disabled else of.manager.enable_user
        await change(of.key, of.within)

    await change_user(call, named, change_status)


async def reset_password(call: Call, body: PasswordReset, **named: Unpack[Named]) -> None:
    """PUT …/password."""
    password, force = body.new_password, body.force_change_password is not False

    async def reset(of: Target) -> None:
        call.turn.give_back()
        await of.manager.reset_password(of.key, password, force, of.within)

    await change_user(call, named, reset)


async def enable_impersonation(call: Call, body: ImpersonationGrant, **named: Unpack[Named]) -> None:
    """PUT …/impersonation. As whom it may act is decided at each call, by what the caller may then."""
    script = body.filter_script
    await change_user(call, named, lambda of: of.manager.enable_impersonation(of.key, script, of.within))


async def disable_impersonation(call: Call, **named: Unpack[Named]) -> None:
    """DELETE …/impersonation."""
    await change_user(call, named, lambda of: of.manager.disable_impersonation(of.key, of.within))


async def enable_realm_override(call: Call, body: RealmOverrideGrant, **named: Unpack[Named]) -> None:
    """PUT …/realmOverride; the specification admits ``system`` alone."""

    async def enable(of: Target) -> None:
        require_operator(of.rights)
        await of.manager.enable_realm_override(of.key, body.realm_reg_ex, of.within)

    await change_user(call, named, enable)


async def disable_realm_override(call: Call, **named: Unpack[Named]) -> None:
    """DELETE …/realmOverride."""
    await change_user(call, named, lambda of: of.manager.disable_realm_override(of.key, of.within))
