"""The order of seed rows: each behind the rows that it refers to, in whatever seed and file these are."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from generator.model import Field, Kind, Record, Seed, Type
from generator.problems import did_you_mean
from generator.resolve.context import Context, Spot
from generator.resolve.cycles import find_circles
from generator.resolve.paths import Paths

Name = tuple[str, str]
"""The record type and the refName of a row, empty where it lacks one."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A refName in a row, or a refName in a list there. ``steps`` lead to it."""

    steps: tuple[str | int, ...]
    target: Name


@dataclass(frozen=True, slots=True)
class SeedRow:
    """One row, with its place and what it refers to."""

    name: Name
    values: Mapping[str, object]
    spot: Spot
    references: tuple[Reference, ...]


def list_rows(seed: Seed, spot: Spot, record: Record | None, paths: Paths) -> list[SeedRow]:
    """List the rows of a seed; ``spot`` is that of its rows."""
    fields = record.fields if record else ()
    return [
        SeedRow(
            (seed.record, "" if row.get("refName") is None else str(row["refName"])),
            row,
            spot.within(position),
            tuple(_find_references(fields, row, paths)),
        )
        for position, row in enumerate(seed.rows)
    ]


def _find_references(fields: tuple[Field, ...], values: object, paths: Paths) -> Iterator[Reference]:
    if isinstance(values, Mapping):
        for field in fields:
            yield from _find_in_value(field.type, values.get(field.name), (field.name,), paths)


def _find_in_value(
    kind: Type, value: object, steps: tuple[str | int, ...], paths: Paths
) -> Iterator[Reference]:
    if kind.kind is Kind.REFERENCE:
        if isinstance(value, str) and kind.target:
            yield Reference(steps, (kind.target, value))
    elif kind.kind is Kind.LIST and kind.item and isinstance(value, list):
        for position, element in enumerate(value):
            yield from _find_in_value(kind.item, element, (*steps, position), paths)
    elif kind.kind in (Kind.OBJECT, Kind.STRUCTURE):
        for found in _find_references(paths.below(kind) or (), value, paths):
            yield replace(found, steps=(*steps, *found.steps))


def check_targets(context: Context, rows: Collection[SeedRow]) -> None:
    """Check that each row refers to rows of seeds: nothing else is stored for a new tenant."""
    if context.specs.broken.keys() & {"*", "seeds", "importProfile"}:
        return
    profiles = {("ImportProfile", one.spec.import_profile) for one in context.specs.import_profiles}
    known = {row.name for row in rows if row.name[1]} | profiles
    for row in rows:
        for one in row.references:
            record, name = one.target
            declared = context.records.get(record)
            if one.target in known or declared is None or declared.is_system:
                continue
            near = did_you_mean(name, [ref_name for kind, ref_name in known if kind == record])
            message = f'{_show(one.steps)}: no seed has the {record} "{name}"{near}'
            row.spot.report("SPEC096", message, *one.steps)


def _show(steps: tuple[str | int, ...]) -> str:
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in steps)[1:]


def arrange_seeds(seeds: Sequence[tuple[Seed, list[SeedRow]]]) -> list[Seed]:
    """Order seeds as they are written, but behind those that they refer to.

    A seed whose rows refer to each other, directly or by rows of other seeds, is split into several.
    Rows that refer to each other in a circle are reported, and not part of what is returned.
    """
    waiting = list(seeds)
    unplanted = {row.name for _seed, rows in seeds for row in rows}
    arranged: list[Seed] = []
    while waiting and (ready := _find_ready(waiting, unplanted)):
        at, rows = ready
        seed, left = waiting[at]
        arranged.append(replace(seed, rows=tuple(row.values for row in rows)))
        unplanted -= {row.name for row in rows}
        planted = {id(row) for row in rows}
        rest = [row for row in left if id(row) not in planted]
        waiting[at : at + 1] = [(seed, rest)] if rest else []
    _report_circles([row for _seed, rows in waiting for row in rows])
    return arranged


def _find_ready(
    waiting: Sequence[tuple[Seed, list[SeedRow]]], unplanted: Collection[Name]
) -> tuple[int, list[SeedRow]] | None:
    """Find the first seed of which all rows can be planted now; otherwise the first of which some can."""
    some = None
    for at, (_seed, rows) in enumerate(waiting):
        ready = [row for row in rows if not any(one.target in unplanted for one in row.references)]
        if len(ready) == len(rows):
            return at, rows
        if ready and some is None:
            some = at, ready
    return some


def _report_circles(rows: Collection[SeedRow]) -> None:
    by_name = {" ".join(row.name): row for row in rows}
    steps = {
        name: {" ".join(one.target): one.steps for one in row.references} for name, row in by_name.items()
    }
    for circle in find_circles(steps):
        first, second = circle[0], circle[1 % len(circle)]
        journey = " refers to ".join([*circle, first])
        message = f"{journey}: none could be planted first; leave one of these references out"
        by_name[first].spot.report("SPEC097", message, *steps[first][second])
