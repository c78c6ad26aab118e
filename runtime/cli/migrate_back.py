"""``recordsmith migrate undo`` and ``cancel``: what brings stored records back."""

import getpass
from collections.abc import Sequence
from functools import partial
from typing import Annotated, Any

import typer

from runtime.call import Service
from runtime.cli.chosen_realm import OneRealm, find_realms
from runtime.cli.command import command_of
from runtime.cli.migrate import keeper_of, migrate, report_work
from runtime.cli.migrate_report import Facts, as_json, show_done
from runtime.cli.opening import Local
from runtime.cli.output import CommandFailed, ExitCode
from runtime.identity.realms.realms import Realm
from runtime.migrations import (
    ByHand,
    Canceller,
    HandRunner,
    Keeper,
    Runner,
    name_of,
    read_folder,
)
from runtime.model.nearest import hint_or_all

__all__ = ["migrate"]


@command_of(migrate, "undo")
def undo(
    name: Annotated[
        str, typer.Argument(help="The migration, as `migrate status` lists it: Airport.2, 0007_split_name")
    ],
    realm: OneRealm = None,
    *,
    local: Local,
) -> None:
    """Bring records back to both spellings, so that the earlier version of the service can run again.

    To go on with this version, run the migration again. The latest migration of a record type can be undone,
    unless it has lost values, and one by hand that has ``backward``.
    """

    async def undo_all(service: Service) -> list[Facts]:
        keeper, done = keeper_of(service), list[Facts]()
        known = await keeper.notes.read_all()
        for one in await find_realms(service.store, service.settings, realm):
            for its in _find_latest(keeper, known, one.database, name):
                runner = Runner(keeper, one.database, its["recordType"], getpass.getuser())
                done += await report_work(one, name, await runner.count(), partial(runner.undo, its))
            for file in read_folder():
                if file.name == name:
                    done += await _undo_by_hand(service, keeper, one, file)
        if not done:
            raise _build_unknown(
                name, [*known, *({"refName": file.name} for file in read_folder())], "undone"
            )
        return done

    done = local.with_service(undo_all)
    local.report(as_json(done), lambda out: show_done(out, done))


@command_of(migrate, "cancel")
def cancel(
    name: Annotated[str, typer.Argument(help="The migration, as `migrate status` lists it: Airport.2")],
    realm: OneRealm = None,
    *,
    local: Local,
) -> None:
    """Call a migration off: bring records back to the former spelling alone, as if it had never begun.

    Stop all workers of the version that began it first; those of the earlier version may go on. What has
    lost values cannot be called off. Backups can be taken again afterwards.
    """

    async def cancel_all(service: Service) -> list[Facts]:
        keeper, done = keeper_of(service), list[Facts]()
        known = await keeper.notes.read_all()
        for one in await find_realms(service.store, service.settings, realm):
            for its in _find_latest(keeper, known, one.database, name):
                kind = keeper.settling.kinds[its["recordType"]]
                canceller = Canceller(keeper, one.database, kind, getpass.getuser())
                total = await canceller.count(its)
                done += await report_work(one, name, total, partial(canceller.run, its))
        if not done:
            if any(file.name == name for file in read_folder()):
                message = f"{name} is written by hand: `migrate undo {name}` brings its records back"
                raise CommandFailed("migration.unknown", message, ExitCode.USAGE)
            raise _build_unknown(name, [one for one in known if "recordType" in one], "cancelled")
        return done

    done = local.with_service(cancel_all)
    local.report(as_json(done), lambda out: show_done(out, done))


def _find_latest(keeper: Keeper, known: Sequence[Any], database: str, name: str) -> list[Any]:
    """Find the latest migration of a record type in a realm, if it has this name."""
    found = [one for one in known if one["database"] == database and "recordType" in one]
    latest = {one["recordType"]: one for one in found if one["recordType"] in keeper.settling.kinds}
    return [one for kind, one in latest.items() if name_of(kind, one["number"]) == name]


def _build_unknown(name: str, known: Sequence[Any], what: str) -> CommandFailed:
    names = sorted({one["refName"].partition("@")[0] for one in known} - {name})
    message = (
        f"no migration that can be {what} is called {name[:60]!r}{hint_or_all(name, names, 'migration')}"
    )
    return CommandFailed("migration.unknown", message, ExitCode.USAGE)


async def _undo_by_hand(service: Service, keeper: Keeper, realm: Realm, file: ByHand) -> list[Facts]:
    runner = HandRunner(service, keeper, realm.name, realm.database, file, getpass.getuser())
    return await report_work(realm, file.name, await runner.count(), runner.undo)
