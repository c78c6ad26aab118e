"""``recordsmith users``, continued: roles, impersonation, other realms, removal. Spec 2 §5.3 by hand."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import typer

from runtime.call import Service
from runtime.cli.opening import DataFolder, with_service
from runtime.cli.output import AsJson, CommandFailed, Outcome, failing, report
from runtime.cli.users import Realm, User, realm_of, roles_from, users
from runtime.identity.users.store_users import StoreUsers
from runtime.identity.users.users import everywhere, users_of
from runtime.seams import UserKey, Within

__all__ = ["users"]

Work = Callable[[StoreUsers, UserKey, Within], Awaitable[Any]]

Roles = Annotated[str, typer.Option("--roles", help="Comma list of roles: user, admin, system.")]
Off = Annotated[bool, typer.Option("--off", help="Take it away.")]


@users.command("assign-roles")
def assign_roles(
    user: User, roles: Roles, realm: Realm = None, data: DataFolder = None, as_json: AsJson = False
) -> None:
    """Give roles to a user. Its tokens end; the next login has the new roles."""
    _roles(
        user, realm, data, as_json, lambda of, key, within: of.assign_roles(key, roles_from(roles), within)
    )


@users.command("remove-roles")
def remove_roles(
    user: User, roles: Roles, realm: Realm = None, data: DataFolder = None, as_json: AsJson = False
) -> None:
    """Take roles from a user; one must be left. All its tokens end."""
    _roles(
        user, realm, data, as_json, lambda of, key, within: of.remove_roles(key, roles_from(roles), within)
    )


@users.command("impersonation")
def impersonation(
    user: User,
    filter_script: Annotated[
        str | None, typer.Option("--filter", help="Filter over credentials: as whom it may act.")
    ] = None,
    off: Off = False,
    realm: Realm = None,
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Let a user act as others of its tenant, or --off: as nobody else."""

    async def change(of: StoreUsers, key: UserKey, within: Within) -> None:
        if filter_script is None:
            await of.disable_impersonation(key, within)
        else:
            await of.enable_impersonation(key, filter_script, within)

    _switch(user, realm, data, as_json, ("impersonation", "--filter", filter_script, off), change)


@users.command("realm-override")
def realm_override(
    user: User,
    pattern: Annotated[str | None, typer.Option("--pattern", help="Pattern of whole realm names.")] = None,
    off: Off = False,
    realm: Realm = None,
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Open other realms to a user, or --off: only its own. What it may do there are its roles there."""

    async def change(of: StoreUsers, key: UserKey, within: Within) -> None:
        if pattern is None:
            await of.disable_realm_override(key, within)
        else:
            await of.enable_realm_override(key, pattern, within)

    _switch(user, realm, data, as_json, ("realm override", "--pattern", pattern, off), change)


@users.command("remove")
def remove(user: User, realm: Realm = None, data: DataFolder = None, as_json: AsJson = False) -> None:
    """Delete a user and end all its tokens. Its records stay."""
    with failing(as_json):
        _do(user, realm, data, lambda of, key, within: of.remove_user(key, within))
        facts = {"userId": user, "removed": True}
        report(facts, as_json, lambda out: out.print(f"{user} is removed", markup=False))


@users.command("release")
def release(user: User, realm: Realm = None, data: DataFolder = None, as_json: AsJson = False) -> None:
    """Let the id of a removed user be given out again.

    Whoever gets it owns the records that the removed user owned, and is meant by every permission rule and
    impersonation filter that names the id. Change those first.
    """
    with failing(as_json):
        _do(user, realm, data, lambda of, _key, within: of.release_user_id(user, within))
        facts = {"userId": user, "released": True}
        said = f"{user} can be given out again: whoever gets it owns what the removed user owned"
        report(facts, as_json, lambda out: out.print(said, markup=False))


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
    asked: tuple[str, str, str | None, bool],
    work: Work,
) -> None:
    """``asked``: what is switched, by which option, its value, and whether it is to go."""
    what, option, value, off = asked
    with failing(as_json):
        if (value is None) is not off:
            raise CommandFailed("users.usage", f"give {option}, or --off to take it away", Outcome.USAGE)
        _do(user, realm, data, work)
        facts = {"userId": user, "enabled": not off}
        word = "off" if off else "on"
        report(facts, as_json, lambda out: out.print(f"{what} of {user} is {word}", markup=False))


def _do(user: str, realm: str | None, data: DataFolder, work: Work) -> Any:
    async def managed(service: Service) -> Any:
        within = everywhere(realm_of(service, realm))
        return await work(users_of(service), UserKey(user_id=user), within)

    return with_service(data, managed)
