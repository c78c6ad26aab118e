"""``recordsmith indexes``: what the record types ask of a realm, compared with what is there, and made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.console import Console

from runtime.cli.opening import DataFolder, with_catalog
from runtime.cli.output import AsJson, CommandFailed, Outcome, failing, report
from runtime.indexes import IndexPlan, apply_indexes, plan_indexes
from runtime.record_type import Catalog
from runtime.security.realm import is_realm_name
from runtime.settings import Settings
from runtime.store import Store

indexes = typer.Typer(help="Plan and make the indexes of a realm.", no_args_is_help=True)

Realm = Annotated[
    str | None, typer.Option("--realm", help="Realm (database). [default: service.default-realm]")
]
DropUnknown = Annotated[
    bool, typer.Option("--drop-unknown", help="Also drop the indexes that no record type asks for.")
]


@indexes.command("plan")
def plan(realm: Realm = None, data: DataFolder = None, as_json: AsJson = False) -> None:
    """Show what is to be made, what is there, and what nobody asks for. Changes nothing."""

    async def compared(store: Store, settings: Settings, catalog: Catalog) -> dict[str, Any]:
        asked = _realm(realm, settings)
        return _facts(asked, await plan_indexes(store, asked, catalog))

    with failing(as_json):
        found = with_catalog(data, compared)
        report(found, as_json, lambda out: _show(out, found))


@indexes.command("apply")
def make(
    realm: Realm = None,
    drop_unknown: DropUnknown = False,
    data: DataFolder = None,
    as_json: AsJson = False,
) -> None:
    """Make what is missing. May take minutes on many records; readers and writers go on meanwhile."""

    async def applied(store: Store, settings: Settings, catalog: Catalog) -> dict[str, Any]:
        asked = _realm(realm, settings)
        plans = await plan_indexes(store, asked, catalog)
        await apply_indexes(store, asked, catalog, drop_unknown=drop_unknown)
        return _facts(asked, plans, applied=True, dropped=drop_unknown)

    with failing(as_json):
        done = with_catalog(data, applied)
        report(done, as_json, lambda out: _show(out, done))


def _realm(asked: str | None, settings: Settings) -> str:
    if asked is not None and not is_realm_name(asked):
        raise CommandFailed(
            "realm.name", f"{asked!r} cannot be a realm: no database can be called so", Outcome.USAGE
        )
    return asked or settings.default_realm


def _facts(
    realm: str, plans: Sequence[IndexPlan], *, applied: bool = False, dropped: bool = False
) -> dict[str, Any]:
    return {
        "realm": realm,
        "applied": applied,
        "dropped": dropped,
        "collections": [asdict(one) for one in plans],
    }


def _show(out: Console, facts: dict[str, Any]) -> None:
    """One line an index that is not just kept, then the totals."""
    made = "made" if facts["applied"] else "make"
    left = "dropped" if facts["dropped"] else "unknown"
    totals = {made: 0, "keep": 0, left: 0}
    for one in facts["collections"]:
        for word, names in ((made, one["make"]), (left, one["unknown"])):
            for name in names:
                out.print(f"{word:<8} {one['collection']}.{name}", markup=False)
            totals[word] += len(names)
        totals["keep"] += len(one["keep"])
    said = ", ".join(f"{count} {word}" for word, count in totals.items())
    out.print(f"realm {facts['realm']}: {said}", markup=False)
