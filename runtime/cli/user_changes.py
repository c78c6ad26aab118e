"""``recordsmith users``, continued: roles, impersonation, other realms, removal."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import typer

from runtime.call import Service
from runtime.cli.chosen_realm import InRealm
from runtime.cli.command import command_of
from runtime.cli.output import CommandFailed, ExitCode
from runtime.cli.users import Roles, User, parse_roles, users
from runtime.identity.users.store_users import StoreUsers
from runtime.identity.users.users import everywhere, users_of
from runtime.seams import UserKey, Within

__all__ = ["users"]

Work = Callable[[StoreUsers, UserKey, Within], Awaitable[Any]]
Grant = Callable[[StoreUsers, UserKey, str, Within], Awaitable[Any]]

Off = Annotated[bool, typer.Option("--off", help="Revoke it.")]


@command_of(users, "assign-roles")
def assign_roles(user: User, roles: Roles, local: InRealm) -> None:
    """Add roles to a user. If any is new, their tokens end; the next login has it."""
    _report_roles(user, local, lambda of, key, within: of.assign_roles(key, parse_roles(roles), within))


@command_of(users, "remove-roles")
def remove_roles(user: User, roles: Roles, local: InRealm) -> None:
    """Remove roles from a user; one must remain. If they had any of them, their tokens end."""
    _report_roles(user, local, lambda of, key, within: of.remove_roles(key, parse_roles(roles), within))


@command_of(users, "impersonation")
def impersonation(
    user: User,
    filter_script: Annotated[
        str | None, typer.Option("--filter", help="Filter over credentials: the users to act as.")
    ] = None,
    off: Off = False,
    *,
    local: InRealm,
) -> None:
    """Let a user act as others of their tenant; --off revokes it."""
    change = (StoreUsers.enable_impersonation, StoreUsers.disable_impersonation)
    _switch(user, local, ("impersonation", "--filter", filter_script, off), *change)


@command_of(users, "realm-override")
def realm_override(
    user: User,
    pattern: Annotated[
        str | None, typer.Option("--pattern", help="Regular expression for whole realm names.")
    ] = None,
    off: Off = False,
    *,
    local: InRealm,
) -> None:
    """Open other realms to a user, who needs roles there; --off revokes it."""
    change = (StoreUsers.enable_realm_override, StoreUsers.disable_realm_override)
    _switch(user, local, ("realm override", "--pattern", pattern, off), *change)


@command_of(users, "remove")
def remove(user: User, local: InRealm) -> None:
    """Delete a user and end all their tokens. Their records stay."""
    _do(user, local, lambda of, key, within: of.remove_user(key, within))
    local.report({"userId": user, "removed": True}, f"removed user {user}")


@command_of(users, "release")
def release(user: User, local: InRealm) -> None:
    """Release the id of a removed user for a new user.

    The new user owns the records of the removed one, and every permission rule and impersonation filter
    that names the id applies to them. Change those first.
    """
    _do(user, local, lambda of, _key, within: of.release_user_id(user, within))
    line = f"released user id {user}: a new user with it owns the records of the removed one"
    local.report({"userId": user, "released": True}, line)


def _report_roles(user: str, local: InRealm, work: Work) -> None:
    held = sorted(_do(user, local, work))
    local.report({"userId": user, "roles": held}, f"{user} has the roles {', '.join(held)}")


def _switch(
    user: str, local: InRealm, change: tuple[str, str, str | None, bool], enable: Grant, disable: Work
) -> None:
    """Grant or revoke; ``change``: the name of the right, its option, the option's value, and ``--off``."""
    what, option, value, off = change
    if (value is None) is not off:
        raise CommandFailed("users.usage", f"pass {option}, or --off to revoke it", ExitCode.USAGE)
    if value is None:
        _do(user, local, disable)
    else:
        _do(user, local, lambda of, key, within: enable(of, key, value, within))
    word = "disabled" if off else "enabled"
    local.report({"userId": user, "enabled": not off}, f"{word} {what} for user {user}")


def _do(user: str, local: InRealm, work: Work) -> Any:
    async def manage(service: Service, realm: str) -> Any:
        within = everywhere(realm)
        return await work(users_of(service), UserKey(user_id=user), within)

    return local.with_realm(manage)
