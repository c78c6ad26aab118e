"""``recordsmith shard``: what a sharded cluster needs, as a plan and as commands for mongosh."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from json import dumps
from typing import Annotated

import typer
from rich.console import Console

from runtime.cli.chosen_realm import RealmOf, find_realms
from runtime.cli.command import command_of
from runtime.cli.opening import Local, load_application, read_settings
from runtime.cli.output import CommandFailed, ExitCode
from runtime.model.catalog import Catalog
from runtime.model.nearest import hint
from runtime.settings import Settings
from runtime.storage.index_definitions import TENANT
from runtime.storage.sharding import BY_ID, BY_NAME, ShardPlan, plan_shards
from runtime.storage.store import Store

shard = typer.Typer(help="Plan a sharded cluster.", no_args_is_help=True)

Zones = Annotated[
    list[str] | None,
    typer.Option("--zone", metavar="REGION=TENANT,…", help="Keep tenants on the shards of a region."),
]
Split = Annotated[
    list[str] | None,
    typer.Option("--split", metavar="TYPE", help="Also split the tenants of this record type, by refName."),
]
ById = Annotated[
    bool, typer.Option("--by-id", help=f"Show what the key {', '.join(BY_ID)} would break, not the best key.")
]


@command_of(shard, "plan")
def plan(
    zone: Zones = None, split: Split = None, realm: RealmOf = None, by_id: ById = False, *, local: Local
) -> None:
    """Show the shard key of each record type, its unique indexes, and the commands that shard it."""
    settings = read_settings(local.data)
    catalog = load_application(settings).catalog
    zones = _read_zones(zone or [])
    names = _check_types(catalog, split or [])
    wanted = dict.fromkeys(names, BY_NAME) | ({kind.shown_name: BY_ID for kind in catalog} if by_id else {})
    plans = [plan_shards(kind, wanted.get(kind.shown_name, ())) for kind in catalog]
    database = settings.default_realm if realm is None else _find_database(local, realm)
    commands = [] if by_id else list(_render_commands(database, plans, zones))
    facts = {"database": database, "collections": [asdict(one) for one in plans], "commands": commands}
    local.report(facts, lambda out: _show(out, plans, commands))


def _find_database(local: Local, realm: str) -> str:
    """Find the database of a realm in the store. Raises ``CommandFailed`` for an unknown one."""

    async def find(store: Store, settings: Settings, _catalog: Catalog) -> str:
        (found,) = await find_realms(store, settings, realm)
        return found.database

    return local.with_catalog(find)


def _check_types(catalog: Catalog, names: Sequence[str]) -> Sequence[str]:
    """Return the names. Raises ``CommandFailed`` for one that is not a record type."""
    known = [kind.shown_name for kind in catalog]
    for name in names:
        if name not in known:
            message = f"{name[:60]!r} is not a record type{hint(name, known)}"
            raise CommandFailed("shard.type", message, ExitCode.USAGE)
    return names


def _read_zones(texts: Sequence[str]) -> dict[str, list[str]]:
    """Read region → tenants. Raises ``CommandFailed`` for a tenant that is to be in two."""
    zones: dict[str, list[str]] = {}
    known: dict[str, str] = {}
    for text in texts:
        region, equals, tenants = text.partition("=")
        named = [tenant.strip() for tenant in tenants.split(",") if tenant.strip()]
        if not (equals and region.strip() and named):
            message = f"{text[:60]!r} is not a zone; write --zone eu=acme,globex"
            raise CommandFailed("shard.zone", message, ExitCode.USAGE)
        for tenant in named:
            if known.setdefault(tenant, region) != region:
                message = f"{tenant} is in the zones {known[tenant]} and {region}; choose one"
                raise CommandFailed("shard.zone", message, ExitCode.USAGE)
        zones.setdefault(region.strip(), []).extend(named)
    return zones


def _render_commands(database: str, plans: Sequence[ShardPlan], zones: dict[str, list[str]]) -> Iterator[str]:
    """Yield the commands for mongosh, in the order in which they are run."""
    yield f"sh.enableSharding({dumps(database)})"
    for region in zones:
        yield f"sh.addShardToZone({dumps(f'<a shard in {region}>')}, {dumps(region)})"
    for one in plans:
        if not one.key:
            continue
        name = dumps(f"{database}.{one.collection}")
        yield f"sh.shardCollection({name}, {dumps(dict.fromkeys(one.key, 1))})"
        for region, tenants in zones.items():
            for tenant in tenants:
                yield f"sh.updateZoneKeyRange({name}, {_range(one, tenant)}, {dumps(region)})"


def _range(one: ShardPlan, tenant: str) -> str:
    """Render the range of a tenant: from it up to the next text that there can be."""
    if len(one.key) == 1:
        return ", ".join(dumps({TENANT: end}) for end in (tenant, f"{tenant}\0"))
    ends = []
    for end in ("MinKey()", "MaxKey()"):
        rest = ", ".join(f"{dumps(name)}: {end}" for name in one.key[1:])
        ends.append(f"{{{dumps(TENANT)}: {dumps(tenant)}, {rest}}}")
    return ", ".join(ends)


def _show(out: Console, plans: Sequence[ShardPlan], commands: Sequence[str]) -> None:
    for one in plans:
        out.print(f"{one.type}: {', '.join(one.key) or 'not sharded'}")
        for index in one.unique:
            said = "fits" if index.fits else "DOES NOT FIT"
            out.print(f"  unique {index.name}: {said}")
        out.print(f"  {one.advice}")
    number = sum(bool(one.key) for one in plans)
    out.print(f"{number} of {len(plans)} collections are sharded")
    for command in commands:
        out.print(command)
