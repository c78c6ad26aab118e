"""``recordsmith tenants``: hand over everything of a tenant, and erase it."""

from pathlib import Path
from typing import Annotated, Any

import typer

from runtime.backup import count_tenant, erase_tenant, find_unfinished
from runtime.call import Service
from runtime.cli.backup import write_archive
from runtime.cli.chosen_realm import RealmOf
from runtime.cli.command import command_of
from runtime.cli.opening import Local
from runtime.cli.places import (
    KeyFile,
    build_unknown_tenant,
    confirm_by_name,
    find_place,
    show_counts,
    translate_problems,
)
from runtime.cli.progress import showing
from runtime.model.counting import count_things

tenants = typer.Typer(help="Hand over or erase everything of a tenant.", no_args_is_help=True)

Tenant = Annotated[str, typer.Argument(metavar="TENANT", help="The tenant.")]


@command_of(tenants, "export")
def export(
    tenant: Tenant,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write.")],
    realm: RealmOf = None,
    key_file: KeyFile = None,
    *,
    local: Local,
) -> None:
    """Write everything of a tenant into a file to hand over, without password hashes and other secrets."""
    done = write_archive("export", file, realm, tenant, key_file, local)
    local.report(done, f"{file}: {count_things(done['records'], 'record')}")


@command_of(tenants, "erase")
def erase(
    tenant: Tenant,
    realm: RealmOf = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Count what would be erased. Changes nothing.")
    ] = False,
    confirm: Annotated[
        str | None, typer.Option("--confirm", help="The tenant again.", show_default="asked on a terminal")
    ] = None,
    *,
    local: Local,
) -> None:
    """Erase everything of a tenant in a realm, users and history included. It cannot be undone.

    After a crash, run it again to continue. A record without the tenant's name says that it was done.
    """
    if not dry_run:
        confirm_by_name(tenant, confirm, f"Everything of {tenant} will be gone. Type its name")

    async def remove(service: Service) -> dict[str, Any]:
        place = await find_place(service, realm, tenant)
        counts = await count_tenant(service, place)
        if not counts and await find_unfinished(service, place) is None:
            raise await build_unknown_tenant(service, tenant, [place])
        if dry_run:
            return {"erased": False, "counts": counts}
        with showing("erasure", sum(counts.values())) as progress:
            done = await erase_tenant(service, place, progress.done)
        return {"erased": True, "record": done.record, "counts": done.removed}

    with translate_problems():
        found = local.with_service(remove, follows=False)
    says = f"erased, record {found['record']}" if found["erased"] else "would be erased"
    local.report(found, f"{says}: {show_counts(found['counts'])}")
