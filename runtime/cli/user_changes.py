"""``recordsmith users``, continued: roles, impersonation, other realms, removal."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import typer

from runtime.call import Service
from runtime.cli.opening import DataFolder, with_service
from runtime.cli.output import AsJson, CommandFailed, ExitCode, failing, report
from runtime.cli.users import Realm, User, realm_of, roles_from, users
from runtime.identity.users.store_users import StoreUsers
from runtime.identity.users.users import everywhere, users_of
from runtime.seams import UserKey, Within

__all__ = ["users"]

Work = Callable[[StoreUsers, UserKey, Within], Awaitable[Any]]

Roles = Annotated[str, typer.Option("--roles", help="Comma-separated roles: user, admin, system.")]
Off = Annotated[bool, typer.Option("--off", help="Revoke it.")]


@users.command("assign-roles")
def assign_roles(
    user: User, roles: Roles, realm: Realm = None, data: DataFolder = None, as_json: AsJson = False
) -> None:
    """Add roles to a user. Their tokens end; the next login has the new roles."""
    _roles(
        user, realm, data, as_json, lambda of, key, within: of.assign_roles(key, roles_from(roles), within)
    )


@users.command("remove-roles")
def remove_roles(
    user: User, roles: Roles, realm: Realm = None, data: DataFolder = None, as_json: AsJson = False
) -> None:
    """Remove roles from a user; one must remain. All their tokens end."""
    _roles(
        user, realm, data, as_json, lambda of, key, within: of.remove_roles(key, roles_from(roles), within)
    )


@users.command("impersonation")
def impersonation(
    user: User,
    filter_script: Annotated[
        str | None, typer.Option("--filter", help="Filter over credentials: the users to act as.")
    ] = None,
    off: Off = False,
    realm: Realm = None,
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Let a user act as others of their tenant; --off revokes it."""

    async def change(of: StoreUsers, key: UserKey, within: Within) -> None:
        if filter_script is None:
            await of.disable_impersonation(key, within)
        else:
            await of.enable_impersonation(key, filter_script, within)

    _switch(user, realm, data, as_json, ("impersonation", "--filter", filter_script, off), change)


@users.command("realm-override")
def realm_override(
    user: User,
    pattern: Annotated[
        str | None, typer.Option("--pattern", help="Regular expression for whole realm names.")
    ] = None,
    off: Off = False,
    realm: Realm = None,
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Open other realms to a user, who needs roles there; --off revokes it."""

    async def change(of: StoreUsers, key: UserKey, within: Within) -> None:
        if pattern is None:
            await of.disable_realm_override(key, within)
        else:
            await of.enable_realm_override(key, pattern, within)

    _switch(user, realm, data, as_json, ("realm override", "--pattern", pattern, off), change)


@users.command("remove")
def remove(user: User, realm: Realm = None, data: DataFolder = None, as_json: AsJson = False) -> None:
    """Delete a user and end all their tokens. Their records stay."""
    with failing(as_json):
        _do(user, realm, data, lambda of, key, within: of.remove_user(key, within))
        facts = {"userId": user, "removed": True}
        report(facts, as_json, lambda out: out.print(f"removed user {user}", markup=False))


@users.command("release")
def release(user: User, realm: Realm = None, data: DataFolder = None, as_json: AsJson = False) -> None:
    """Release the id of a removed user for a new user.

    The new user owns the records of the removed one, and every permission rule and impersonation filter
    that names the id applies to them. Change those first.
    """
    with failing(as_json):
        _do(user, realm, data, lambda of, _key, within: of.release_user_id(user, within))
        facts = {"userId": user, "released": True}
        line = f"released user id {user}: a new user with it owns the records of the removed one"
        report(facts, as_json, lambda out: out.print(line, markup=False))


def _roles(user: str, realm: str | None, data: DataFolder, as_json: bool, work: Work) -> None:
    with failing(as_json):
        held = sorted(_do(user, realm, data, work))
        facts = {"userId": user, "roles": held}
        report(facts, as_json, lambda out: out.print(f"{user} has the roles {', '.join(held)}", markup=False))


def _switch(
    user: str,
    realm: str | None,
    data: DataFolder,
    as_json: bool,
    change: tuple[str, str, str | None, bool],
    work: Work,
) -> None:
    """Grant or revoke; ``change``: the name of the right, its option, the option's value, and ``--off``."""
    what, option, value, off = change
    with failing(as_json):
        if (value is None) is not off:
            raise CommandFailed("users.usage", f"pass {option}, or --off to revoke it", ExitCode.USAGE)
        _do(user, realm, data, work)
        facts = {"userId": user, "enabled": not off}
        word = "disabled" if off else "enabled"
        report(facts, as_json, lambda out: out.print(f"{word} {what} for user {user}", markup=False))


def _do(user: str, realm: str | None, data: DataFolder, work: Work) -> Any:
    async def manage(service: Service) -> Any:
        within = everywhere(realm_of(service, realm))
        return await work(users_of(service), UserKey(user_id=user), within)

    return with_service(data, manage)
