"""``recordsmith realms``: create, list, disable and enable the realms other than the default one."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.console import Console

from runtime.call import Service
from runtime.cli.chosen_realm import choose_realms
from runtime.cli.command import command_of
from runtime.cli.opening import Local
from runtime.cli.output import print_table
from runtime.identity.realms.realms import Realm
from runtime.model.mappings import without_nones
from runtime.realm_setup import create_realm, list_realms, set_realm_active

realms = typer.Typer(help="Create and manage realms.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(metavar="NAME", help="The realm's name.")]


@command_of(realms, "create")
def create(
    name: Name,
    database: Annotated[
        str | None, typer.Option("--database", help="The realm's database.", show_default="its name")
    ] = None,
    description: Annotated[str | None, typer.Option("--description", help="What it is for.")] = None,
    seed_tenant: Annotated[
        str | None, typer.Option("--seed-tenant", help="Plant the seeds of the specifications for a tenant.")
    ] = None,
    *,
    local: Local,
) -> None:
    """Create a realm with its indexes. After a crash, run it again to continue."""
    _report(
        local,
        lambda service: create_realm(
            service, name, database, description=description, seed_tenant=seed_tenant
        ),
    )


@command_of(realms, "list")
def list_all(local: Local) -> None:
    """List all realms, the default one first."""
    found = local.with_service(list_realms)
    local.report([_render_realm(one) for one in found], lambda out: _show_table(out, found))


@command_of(realms, "disable")
def disable(name: Name, local: Local) -> None:
    """Disable a realm: calls in it, logins to it and calls of its users are refused. Its records stay."""
    _switch(local, name, False)


@command_of(realms, "enable")
def enable(name: Name, local: Local) -> None:
    """Enable a disabled realm."""
    _switch(local, name, True)


def _switch(local: Local, name: str, active: bool) -> None:
    """Disable or enable a realm. Raises ``CommandFailed`` for an unknown one."""

    async def set_active(service: Service) -> Realm:
        choose_realms(await list_realms(service), name)
        return await set_realm_active(service, name, active)

    _report(local, set_active)


def _report(local: Local, change: Callable[[Service], Awaitable[Realm]]) -> None:
    """Change a realm and report how it is then."""
    realm = local.with_service(change)
    local.report(_render_realm(realm), f"realm {realm.name} (database {realm.database}) is {_state(realm)}")


def _render_realm(realm: Realm) -> dict[str, Any]:
    return without_nones({**asdict(realm), "restoring": realm.restoring or None})


def _state(realm: Realm) -> str:
    if realm.restoring:
        return "being restored"
    return "active" if realm.active else "disabled"


def _show_table(out: Console, found: list[Realm]) -> None:
    rows = ((one.name, one.database, _state(one), one.description or "") for one in found)
    print_table(out, ("realm", "database", "state", "description"), rows)
