"""``recordsmith indexes``: compare the indexes of record types with those of realms, and create them."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer
from rich.console import Console

from runtime.cli.chosen_realm import OneRealm, find_realms
from runtime.cli.command import command_of
from runtime.cli.opening import Local
from runtime.identity.realms.realms import Realm
from runtime.model.catalog import Catalog
from runtime.settings import Settings
from runtime.storage.indexes import IndexPlan, apply_indexes, find_conflicts, plan_indexes
from runtime.storage.store import Store

indexes = typer.Typer(help="Plan and create the indexes of realms.", no_args_is_help=True)

DropUnknown = Annotated[
    bool, typer.Option("--drop-unknown", help="Also drop the indexes that no record type declares.")
]


@command_of(indexes, "plan")
def plan(realm: OneRealm = None, *, local: Local) -> None:
    """Show the indexes to create, conflicts, existing and unknown ones, and images to switch."""

    async def compare(store: Store, settings: Settings, catalog: Catalog) -> dict[str, Any]:
        plans = []
        for one in await find_realms(store, settings, realm):
            facts = _render_plans(one, await plan_indexes(store, one.database, catalog))
            for kind, collection in zip(catalog, facts["collections"], strict=True):
                lacking = await find_conflicts(store, one.database, kind) if collection["make"] else ()
                collection["conflicts"] = [asdict(found) for found in lacking]
            plans.append(facts)
        return {"applied": False, "dropped": False, "realms": plans}

    found = local.with_catalog(compare)
    local.report(found, lambda out: _show(out, found))


@command_of(indexes, "apply")
def make(realm: OneRealm = None, drop_unknown: DropUnknown = False, *, local: Local) -> None:
    """Create missing indexes. May take minutes on many records; reads and writes continue."""

    async def apply(store: Store, settings: Settings, catalog: Catalog) -> dict[str, Any]:
        done = []
        for one in await find_realms(store, settings, realm):
            plans = await plan_indexes(store, one.database, catalog)
            await apply_indexes(store, one.database, catalog, drop_unknown=drop_unknown)
            done.append(_render_plans(one, plans))
        return {"applied": True, "dropped": drop_unknown, "realms": done}

    done = local.with_catalog(apply)
    local.report(done, lambda out: _show(out, done))


def _render_plans(realm: Realm, plans: Sequence[IndexPlan]) -> dict[str, Any]:
    return {"realm": realm.name, "database": realm.database, "collections": [asdict(one) for one in plans]}


def _show(out: Console, facts: dict[str, Any]) -> None:
    """Print, for each realm, one line for each index that is not just kept, then the totals."""
    made, switched = ("created", "switched") if facts["applied"] else ("to create", "to switch")
    left = "dropped" if facts["dropped"] else "unknown"
    for realm in facts["realms"]:
        totals = {made: 0, "existing": 0, left: 0}
        for one in realm["collections"]:
            for word, names in ((made, one["make"]), (left, one["unknown"])):
                for name in names:
                    out.print(f"{one['collection']}.{name}: {word}")
                totals[word] += len(names)
            if one["images"]:
                out.print(f"{one['collection']}: images {switched} {one['images']}")
            for conflict in one.get("conflicts", ()):
                place = f"{one['collection']}.{conflict['index']}"
                out.print(f"{place}: cannot be created: {conflict['message']}")
            totals["existing"] += len(one["keep"])
        line = ", ".join(f"{count} {word}" for word, count in totals.items())
        out.print(f"realm {realm['realm']}: {line}")
