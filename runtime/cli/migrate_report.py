"""How ``recordsmith migrate`` reports migrations: as facts for ``--json``, and as lines."""

import json
from collections.abc import Sequence
from typing import Any

from rich.console import Console

from runtime.model.counting import count_things
from runtime.storage.wire import to_json

Facts = dict[str, Any]


def render_migration(migration: Any) -> Facts:
    """Return what is reported of a migration."""
    names = ("phase", "steps", "moved", "checked", "acceptedLoss", "startedBy", "startedDate", "finishedDate")
    shown = {name: migration[name] for name in (*names, "seconds") if name in migration}
    return {"name": migration["refName"].partition("@")[0], **shown}


def as_json(value: Any) -> Any:
    """Return stored values as JSON has them."""
    return json.loads(to_json(value))


def show_plans(out: Console, realms: Sequence[Facts]) -> None:
    """Print what is due in each realm."""
    for realm in realms:
        out.print(f"realm {realm['realm']}")
        for one in realm["migrations"]:
            _show_migration(out, one)
        for one in realm["unread"]:
            out.print(
                f"  {one['name']}: values in {count_things(one['records'], 'record')} that nothing reads"
            )
            for example in one["examples"]:
                out.print(f"    {to_json(example).decode()}", markup=False)
        for one in realm["removedStates"]:
            out.print(
                f"  {one['name']}: {count_things(one['records'], 'record')} in a state that is not declared"
            )
        for one in realm["unfilled"]:
            lack = count_things(one["records"], "record lacks", "records lack")
            out.print(
                f"  {one['name']}: {lack} this required field, and writes that do not set it are refused: "
                "fill it by a file in migrations/"
            )
        for one in realm["byHand"]:
            out.print(
                f"  {one['name']}: {one['recordType']}, by hand, {(one['phase'] or 'not begun').lower()}"
            )
        if not realm["migrations"] and not realm["byHand"]:
            out.print("  nothing is due")


def _show_migration(out: Console, one: Facts) -> None:
    out.print(
        f"  {one['name']}: {count_things(one['records'], 'record')}, {(one['phase'] or 'not begun').lower()}"
    )
    for step in one["steps"]:
        lost, wrong = one["losses"].get(step), one["misfits"].get(step)
        out.print(
            f"    {step}"
            + (f" loses values of {count_things(lost, 'record')}" if lost else "")
            + (f" finds values of another type in {count_things(wrong, 'record')}" if wrong else "")
        )
    for before, after in one["examples"]:
        out.print(f"    before {to_json(before).decode()}", markup=False)
        out.print(f"    after  {to_json(after).decode()}", markup=False)


def show_done(out: Console, done: Sequence[Facts]) -> None:
    """Print a line for each migration."""
    for one in done:
        seconds = f" in {one['seconds']:.1f} s" if "seconds" in one else ""
        line = f"{one['name']}: {one['phase'].lower()}, {count_things(one['moved'], 'record')} moved{seconds}"
        out.print(f"realm {one['realm']}  {line}, {one['checked']:,} verified, by {one['startedBy']}")
    if not done:
        out.print("no migrations")
