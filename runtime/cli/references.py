"""``recordsmith references``: check all references, and repair outdated copies of names."""

from dataclasses import asdict
from typing import Annotated, Any, Final

import typer
from rich.console import Console

from runtime.backup import Place
from runtime.call import Service
from runtime.cli.chosen_realm import OneRealm, find_realms
from runtime.cli.command import command_of
from runtime.cli.opening import Local
from runtime.cli.output import ExitCode
from runtime.cli.places import require_tenant
from runtime.cli.progress import showing
from runtime.identity.realms.realms import Realm
from runtime.model.record import wire_name
from runtime.records.effects.integrity import PROBLEMS, Scope, Tally, count_records_in_scope, examine

references = typer.Typer(help="Check and repair the references between records.", no_args_is_help=True)

Tenant = Annotated[str | None, typer.Option("--tenant", help="Only this tenant.", show_default="all")]


@command_of(references, "check")
def check(realm: OneRealm = None, tenant: Tenant = None, *, local: Local) -> None:
    """Find references to missing or foreign records and outdated copies of names. Changes nothing.

    Fails when the target of a tracked reference is missing or in another tenant, or a name is outdated.
    References that are not tracked do not prevent the removal of their record, so they are only reported.
    """
    _examine(realm, tenant, local, repair=False)


@command_of(references, "repair")
def repair(realm: OneRealm = None, tenant: Tenant = None, *, local: Local) -> None:
    """Check as `references check` does, and update copies of names that are outdated.

    Nothing else is changed or removed.
    """
    _examine(realm, tenant, local, repair=True)


def _examine(realm: str | None, tenant: str | None, local: Local, *, repair: bool) -> None:
    async def examine_realms(service: Service) -> list[tuple[Realm, Tally]]:
        chosen = await find_realms(service.store, service.settings, realm)
        tallies = [
            (one, await _examine_realm(Scope(service, one.database, tenant), one.name, repair=repair))
            for one in chosen
        ]
        if tenant is not None and not any(tally.records for _realm, tally in tallies):
            await require_tenant(service, tenant, [Place(one.name, one.database, tenant) for one in chosen])
        return tallies

    done = local.with_service(examine_realms)
    facts = {"mended": repair, "realms": [_render_tally(one, tally) for one, tally in done]}
    local.report(facts, lambda out: _show(out, facts))
    if not all(tally.is_sound for _realm, tally in done):
        raise typer.Exit(ExitCode.FAILED)


async def _examine_realm(scope: Scope, name: str, *, repair: bool) -> Tally:
    with showing(f"realm {name}", await count_records_in_scope(scope)) as progress:
        return await examine(scope, repair=repair, tell=progress.done)


def _render_tally(realm: Realm, tally: Tally) -> dict[str, Any]:
    return {
        "realm": realm.name,
        "sound": tally.is_sound,
        "records": tally.records,
        "references": tally.references,
        "tracked": tally.tracked,
        "mended": tally.repaired,
        **{word: tally.left[word] for word in PROBLEMS},
        "findings": [{wire_name(name): value for name, value in asdict(one).items()} for one in tally.named],
    }


_SHOWN: Final = {"mended": "repaired"}  # its name in JSON, which scripts read


def _show(out: Console, facts: dict[str, Any]) -> None:
    """Print, for each realm, one line for each finding, then the totals."""
    for realm in facts["realms"]:
        for one in realm["findings"]:
            line = f"{one['type']} {one['refName']} ({one['tenant']}) {one['path']}"
            out.print(f"{one['problem']:<8} {line} -> {one['target']} {one['targetId']}")
        words = ("records", "references", "tracked", "mended", *PROBLEMS)
        totals = ", ".join(f"{realm[word]} {_SHOWN.get(word, word)}" for word in words)
        out.print(f"realm {realm['realm']}: {totals}")
