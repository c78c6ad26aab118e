"""``recordsmith ontology``: compare the stored edges with the records, and rebuild those that differ."""

import asyncio
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.console import Console

from runtime.call import Service
from runtime.cli.chosen_realm import OneRealm, find_realms
from runtime.cli.command import command_of
from runtime.cli.opening import Local
from runtime.cli.output import CommandFailed, ExitCode
from runtime.cli.progress import showing
from runtime.errors import Misconfigured, NotFound, ServiceError
from runtime.identity.realms.realms import Realm
from runtime.logs import log
from runtime.model.counting import count_things
from runtime.ontology import EdgeTally, Upkeep

ontology = typer.Typer(help="Check and rebuild the edges between records.", no_args_is_help=True)

Begin = Annotated[
    str | None, typer.Option("--from", help="Go on behind this place, as an interrupted run printed it.")
]


@command_of(ontology, "check")
def check(realm: OneRealm = None, begin: Begin = None, *, local: Local) -> None:
    """Compare the stored edges with what the records state and what follows. Changes nothing.

    Fails when an edge is missing, has another reason, or neither a record states it nor others imply it.
    """
    _examine(realm, begin, local, repair=False)


@command_of(ontology, "rebuild")
def rebuild(realm: OneRealm = None, begin: Begin = None, *, local: Local) -> None:
    """Check as `ontology check` does, and write the edges that differ, while the service runs.

    Needed for existing records when the ontology is switched on or its predicates changed.
    """
    _examine(realm, begin, local, repair=True)


def _examine(realm: str | None, begin: str | None, local: Local, *, repair: bool) -> None:
    async def examine_realms(service: Service) -> list[tuple[str, EdgeTally]]:
        if service.edges is None:
            raise Misconfigured("the ontology is off: the setting ontology.enabled switches it on")
        found, done, place = await find_realms(service.store, service.settings, realm), [], begin or ""
        if begin is not None:
            found, place = await _choose_rest(service, found, begin)
        for one in found:
            counts = await _examine_realm(service, one, place, repair=repair, is_last=one is found[-1])
            done.append((one.name, counts))
            place = ""
        return done

    done = local.with_service(examine_realms)
    facts = {"rebuilt": repair, "realms": [_render_tally(name, tally) for name, tally in done]}
    local.report(facts, lambda out: _show(out, facts))
    if not repair and not all(tally.is_sound for _name, tally in done):
        raise typer.Exit(ExitCode.FAILED)


async def _choose_rest(service: Service, realms: list[Realm], begin: str) -> tuple[list[Realm], str]:
    """Return the realms from that of a place on, and the place in the first of them.

    Raises ``CommandFailed``.
    """
    if not begin:
        raise _refuse_place("name a place, as an interrupted run printed it, or leave it out")
    name, _, place = begin.rpartition("/")
    if not name:
        if len(realms) > 1:  # it is a place in each, and the others would begin in their middle
            form = f"{realms[0].name}/{place[:80]}"
            raise _refuse_place(
                f"{begin[:80]} is a place in one realm: write it as in {form}, or add --realm"
            )
        return realms, begin
    (first,) = await find_realms(service.store, service.settings, name)
    index = next((number for number, one in enumerate(realms) if one.name == first.name), None)
    if index is None:
        raise _refuse_place(f"{begin[:80]} is a place in another realm: write --realm {first.name}")
    return realms[index:], place


async def _examine_realm(
    service: Service, realm: Realm, begin: str, *, repair: bool, is_last: bool
) -> EdgeTally:
    counting = Upkeep(service, realm.database, repair, lambda _number: None)
    with showing(f"realm {realm.name}", await counting.count()) as progress:
        run = Upkeep(service, realm.database, repair, progress.done)
        try:
            return await run.run(begin)
        except NotFound as error:
            raise _refuse_place(error.message) from None
        except (ServiceError, asyncio.CancelledError):
            place = run.tally.place or begin
            way = f"--realm {realm.name} --from {place}" if place else f"--realm {realm.name}"
            if not is_last:
                way = f"--from {realm.name}/{place}"
            log.warning("ontology.interrupted", realm=realm.name, go_on_with=way)
            raise


def _refuse_place(message: str) -> CommandFailed:
    return CommandFailed("ontology.place", f"--from: {message}", ExitCode.USAGE)


def _render_tally(name: str, tally: EdgeTally) -> dict[str, Any]:
    return {"realm": name, "sound": tally.is_sound, **asdict(tally)}


def _show(out: Console, facts: dict[str, Any]) -> None:
    """Print the totals of each realm."""
    for realm in facts["realms"]:
        counts = [count_things(realm["records"], "record"), count_things(realm["edges"], "edge")]
        counts += [f"{realm[word]:,} {word}" for word in ("missing", "wrong", "surplus")]
        out.print(f"realm {realm['realm']}: {', '.join(counts)}")
