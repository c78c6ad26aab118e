"""``recordsmith seeds``: plant the seed records of the specifications for existing tenants."""

from collections.abc import Awaitable, Callable
from typing import Annotated, Any

import typer
from rich.console import Console

from runtime.call import Call, Service
from runtime.cli.chosen_realm import OneRealm, choose_realms, require_active
from runtime.cli.command import command_of
from runtime.cli.opening import Local
from runtime.cli.output import CommandFailed, ExitCode
from runtime.identity.realms.realms import Realm
from runtime.identity.users.users import list_tenants
from runtime.model.counting import count_things
from runtime.model.nearest import hint
from runtime.principal import DomainContext
from runtime.realm_setup import list_realms
from runtime.seeding import SeedPlan, open_planting_call, plan, plant

seeds = typer.Typer(help="Plan and plant the seeds of the specifications.", no_args_is_help=True)

Tenants = Annotated[list[str] | None, typer.Option("--tenant", help="A tenant; may be repeated.")]
Everyone = Annotated[bool, typer.Option("--all", help="All tenants that have users.")]
Organisation = Annotated[
    str | None, typer.Option("--org", help="The organisation that gets new records.", show_default="none")
]
Facts = dict[str, Any]


@command_of(seeds, "plan")
def show_plan(
    tenant: Tenants = None,
    everyone: Everyone = False,
    realm: OneRealm = None,
    *,
    local: Local,
) -> None:
    """Show what would be planted. Changes nothing."""

    async def plan_tenant(call: Call) -> Facts:
        return {"seeds": [_render_plan(one) for one in await plan(call)]}

    _run(plan_tenant, tenant, everyone, realm, None, local)


@command_of(seeds, "apply")
def apply(
    tenant: Tenants = None,
    everyone: Everyone = False,
    org: Organisation = None,
    realm: OneRealm = None,
    *,
    local: Local,
) -> None:
    """Plant due seeds. Run it again after a crash or an upgrade: seeds already planted stay unchanged."""

    async def plant_tenant(call: Call) -> Facts:
        due = [_render_plan(one) for one in await plan(call)]
        return {"seeds": due, "saved": sum((await plant(call)).values())}

    _run(plant_tenant, tenant, everyone, realm, org, local)


def _run(
    work: Callable[[Call], Awaitable[Facts]],
    tenants: list[str] | None,
    everyone: bool,
    realm: str | None,
    org: str | None,
    local: Local,
) -> None:
    if bool(tenants) == everyone:
        raise typer.BadParameter("name tenants with --tenant, or take --all")

    async def plan_or_plant(service: Service) -> list[Facts]:
        done = []
        for one, names in await _choose_tenants(service, realm, tenants):
            for name in names:
                domain = DomainContext(name, one.name, org)
                call = await open_planting_call(service, one.name, one.database, domain)
                done.append({"realm": one.name, "tenant": name, **await work(call)})
        return done

    done = local.with_service(plan_or_plant)
    local.report(done, lambda out: _show(out, done))


async def _choose_tenants(
    service: Service, realm: str | None, tenants: list[str] | None
) -> list[tuple[Realm, list[str]]]:
    """Return the tenants of each realm, or those of the named ones that it has.

    Raises ``CommandFailed`` for a realm that is not active, and a tenant without users in all of them.
    """
    realms = choose_realms(await list_realms(service), realm)
    for one in realms:
        require_active(one)
    known = [(one, await list_tenants(service, one.name)) for one in realms]
    if tenants is None:
        return known
    found = {name for _realm, names in known for name in names}
    for name in tenants:
        if name not in found:
            where = f"the realm {realms[0].name}" if len(realms) == 1 else "any active realm"
            message = f"no user of {where} belongs to a tenant {name[:40]!r}{hint(name, found)}"
            raise CommandFailed("tenant.unknown", message, ExitCode.USAGE)
    return [(one, [name for name in dict.fromkeys(tenants) if name in names]) for one, names in known]


def _render_plan(due: SeedPlan) -> Facts:
    counts = {"insert": len(due.insert), "update": len(due.update), "known": len(due.known)}
    return {"record": due.seed.kind.name, "version": due.seed.version, **counts}


def _show(out: Console, done: list[Facts]) -> None:
    """Print, for each tenant, one line for each seed that is due, then the total."""
    for one in done:
        due = [seed for seed in one["seeds"] if seed["insert"] or seed["update"] or seed["known"]]
        for seed in due:
            words = f"{seed['insert']} to insert, {seed['update']} to update, {seed['known']} stored already"
            out.print(f"{seed['record']} version {seed['version']}: {words}")
        total = _show_total(one.get("saved"), len(due))
        out.print(f"realm {one['realm']}, tenant {one['tenant']}: {total}")
    if not done:
        out.print("there are no tenants: `recordsmith users create` creates the first user of one")


def _show_total(saved: int | None, due: int) -> str:
    return count_things(due, "seed") + " due" if saved is None else count_things(saved, "record") + " saved"
