"""``recordsmith migrate``: move stored records to the shape of the specifications, and back."""

import asyncio
import getpass
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from typing import Annotated, Any, Final

import typer

from runtime.call import Service
from runtime.cli.chosen_realm import OneRealm, choose_realms, find_realms
from runtime.cli.command import command_of
from runtime.cli.migrate_report import Facts, as_json, render_migration, show_done, show_plans
from runtime.cli.opening import Local
from runtime.cli.output import CommandFailed, ExitCode, open_error_output
from runtime.cli.progress import Unit, showing
from runtime.identity.realms.realms import Realm, read_realms
from runtime.migrations import (
    ByHand,
    HandRunner,
    Keeper,
    MigrationNotes,
    Planned,
    Removal,
    Remover,
    Runner,
    plan_realm,
    plan_removals,
    plan_required,
    plan_states,
    read_folder,
)
from runtime.model.catalog import Catalog
from runtime.model.nearest import hint
from runtime.settings import Settings
from runtime.storage.store import Store

migrate = typer.Typer(help="Move stored records to the shape of the specifications.", no_args_is_help=True)

AcceptLoss = Annotated[
    list[str] | None,
    typer.Option("--accept-loss", help="A step whose loss of values is accepted; may be repeated."),
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Show some records before and after; change nothing.")
]

_EXAMPLES: Final = 3
_RECORDS: Final = Unit("{:,}".format, " records")


@command_of(migrate, "plan")
def plan(realm: OneRealm = None, *, local: Local) -> None:
    """Show the migrations that are due: steps, numbers of records, losses. Changes nothing."""
    _plan(realm, local, examples=0)


def _plan(realm: str | None, local: Local, *, examples: int) -> None:
    async def compare(store: Store, settings: Settings, catalog: Catalog) -> list[Facts]:
        realms, files = await read_realms(store, settings.default_realm), read_folder()
        keeper = _build_reading_keeper(store, settings, catalog, realms)
        known = {one["refName"]: one["phase"] for one in await keeper.notes.read_all()}
        return [
            {
                "realm": one.name,
                "byHand": [
                    {"name": file.name, "recordType": file.record, "phase": phase}
                    for file in files
                    if (phase := known.get(f"{file.name}@{one.database}")) != "DONE"
                ],
                "unread": [
                    asdict(one) for one in await plan_removals(keeper, one.database, examples=examples)
                ],
                "unfilled": [asdict(lacking) for lacking in await plan_required(keeper, one.database)],
                "removedStates": [asdict(state) for state in await plan_states(keeper, one.database)],
                "migrations": [
                    asdict(due) for due in await plan_realm(keeper, one.database, examples=examples)
                ],
            }
            for one in choose_realms(realms, realm)
        ]

    found = local.with_catalog(compare)
    local.report(as_json(found), lambda out: show_plans(out, found))


@command_of(migrate, "run")
def run(
    realm: OneRealm = None, accept_loss: AcceptLoss = None, dry_run: DryRun = False, *, local: Local
) -> None:
    """Move all records whose migration is due, while the service runs. Run it again after an interruption.

    Fails while workers of another version of the service are alive.
    """
    if dry_run:
        _plan(realm, local, examples=_EXAMPLES)
        return

    accepted, steps = accept_loss or [], set[str]()

    async def run_all(service: Service) -> list[Facts]:
        keeper, done = keeper_of(service), list[Facts]()
        for one in await find_realms(service.store, service.settings, realm):
            for due in await plan_realm(keeper, one.database):
                steps.update(due.steps)
                done += await _run_one(keeper, one, due, accepted)
            for unread in await plan_removals(keeper, one.database):
                steps.add(unread.name)
                if unread.name in accepted:
                    done += await _remove(keeper, one, unread)
            for file in read_folder():
                done += await _run_by_hand(service, keeper, one, file)
        return done

    done = local.with_service(run_all)
    for name in accepted:
        if name not in steps:  # as when the command is run again
            open_error_output().print(f"--accept-loss {name}: this step is not due{hint(name, steps)}")
    local.report(as_json(done), lambda out: show_done(out, done))


async def _run_one(keeper: Keeper, realm: Realm, due: Planned, accepted: Sequence[str]) -> list[Facts]:
    runner = Runner(keeper, realm.database, due.kind, getpass.getuser())
    return await report_work(realm, due.name, due.records, lambda tell: runner.run(accepted, tell))


async def _remove(keeper: Keeper, realm: Realm, unread: Removal) -> list[Facts]:
    remover = Remover(keeper, realm.database, unread, getpass.getuser())
    return await report_work(realm, unread.name, unread.records, remover.run)


async def _run_by_hand(service: Service, keeper: Keeper, realm: Realm, file: ByHand) -> list[Facts]:
    runner = HandRunner(service, keeper, realm.name, realm.database, file, getpass.getuser())
    noted = await runner.find()
    if noted is not None and noted["phase"] == "DONE":
        return []
    return await report_work(realm, file.name, await runner.count(), runner.run)


async def report_work(
    realm: Realm, name: str, records: int, work: Callable[[Callable[[int], None]], Awaitable[Any]]
) -> list[Facts]:
    """Run a migration, which reports how many records each batch had; return what became of it."""
    with showing(f"{name} in realm {realm.name}", records, _RECORDS) as progress:
        try:
            done = await work(progress.add)
        except asyncio.CancelledError:
            advice = "nothing is lost: run the same command again, which goes on"
            open_error_output().print(f"{name} in realm {realm.name} was interrupted; {advice}")
            raise
    return [] if done is None else [{"realm": realm.name, **render_migration(done)}]


@command_of(migrate, "status")
def status(realm: OneRealm = None, *, local: Local) -> None:
    """List the migrations there have been: phase, who began them, when, how many records."""

    async def read(store: Store, settings: Settings, _catalog: Catalog) -> list[Facts]:
        names = {one.database: one.name for one in await find_realms(store, settings, realm)}
        return [
            {"realm": names[one["database"]], **render_migration(one)}
            for one in await MigrationNotes(store, settings.default_realm).read_all()
            if one["database"] in names
        ]

    found = local.with_catalog(read)
    local.report(as_json(found), lambda out: show_done(out, found))


def keeper_of(service: Service) -> Keeper:
    """Return the part of the service that follows migrations."""
    keeper = service.migrations
    if not isinstance(keeper, Keeper):
        raise CommandFailed("migrations.off", "this application follows no migrations", ExitCode.FAILED)
    return keeper


def _build_reading_keeper(
    store: Store, settings: Settings, catalog: Catalog, realms: Sequence[Realm]
) -> Keeper:
    """Return one that reads, and announces nothing."""

    async def list_databases() -> list[str]:
        return [one.database for one in realms]

    return Keeper(store, catalog, settings.default_realm, list_databases)
