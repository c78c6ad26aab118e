"""``recordsmith realms``: create, list, disable and enable the realms other than the default one."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from runtime.cli.opening import DataFolder, with_service
from runtime.cli.output import AsJson, failing, report
from runtime.identity.realms.realms import Realm
from runtime.model.mappings import without_nones
from runtime.realm_setup import create_realm, list_realms, set_realm_active

realms = typer.Typer(help="Create and manage realms.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(metavar="NAME", help="The realm's name.")]


@realms.command("create")
def create(
    name: Name,
    database: Annotated[
        str | None, typer.Option("--database", help="The realm's database. [default: its name]")
    ] = None,
    description: Annotated[str | None, typer.Option("--description", help="What it is for.")] = None,
    seed_tenant: Annotated[
        str | None, typer.Option("--seed-tenant", help="Plant the seeds of the specifications for a tenant.")
    ] = None,
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Create a realm with its indexes. After a crash, run it again to continue."""
    with failing(as_json):
        created = with_service(
            data,
            lambda service: create_realm(
                service, name, database, description=description, seed_tenant=seed_tenant
            ),
        )
        report(_facts(created), as_json, lambda out: out.print(_line(created), markup=False))


@realms.command("list")
def list_all(data: DataFolder = None, as_json: AsJson = False) -> None:
    """List all realms, the default one first."""
    with failing(as_json):
        found = with_service(data, list_realms)
        report([_facts(one) for one in found], as_json, lambda out: _table(out, found))


@realms.command("disable")
def disable(name: Name, data: DataFolder = None, as_json: AsJson = False) -> None:
    """Disable a realm: calls in it, logins to it and calls of its users are refused. Its records stay."""
    _set_active(name, False, data, as_json)


@realms.command("enable")
def enable(name: Name, data: DataFolder = None, as_json: AsJson = False) -> None:
    """Enable a disabled realm."""
    _set_active(name, True, data, as_json)


def _set_active(name: str, active: bool, data: DataFolder, as_json: bool) -> None:
    with failing(as_json):
        changed = with_service(data, lambda service: set_realm_active(service, name, active))
        report(_facts(changed), as_json, lambda out: out.print(_line(changed), markup=False))


def _facts(realm: Realm) -> dict[str, Any]:
    return without_nones(asdict(realm))


def _line(realm: Realm) -> str:
    return f"realm {realm.name} (database {realm.database}) is {_state(realm)}"


def _state(realm: Realm) -> str:
    return "active" if realm.active else "disabled"


def _table(out: Console, found: list[Realm]) -> None:
    table = Table("realm", "database", "state", "description", box=None, pad_edge=False)
    for one in found:
        table.add_row(one.name, one.database, _state(one), one.description or "")
    out.print(table)
