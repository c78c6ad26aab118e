"""What a migration would do: steps, numbers, losses, and a few records before and after. Changes nothing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final

from runtime.filter import EVERYTHING, Predicate, any_of, by_id_range, equals, lacks
from runtime.migrations.batches import read_ranges
from runtime.migrations.keeper import Keeper
from runtime.migrations.losses import find_losses, find_misfits
from runtime.migrations.notes import Noted, by_record_type, name_of, read_shapes
from runtime.model.paths import overlap_any
from runtime.spelling import Spelling, derive_steps, list_removed_states, return_to_former
from runtime.storage.access import Access
from runtime.storage.as_service import as_service
from runtime.storage.store import Store

Document = dict[str, Any]

MASKED: Final = "(hidden)"


@dataclass(frozen=True)
class Planned:
    """The migration of a record type in a realm. ``phase``: None if it has not begun.

    ``losses``: step → the records that would lose a value; ``misfits``: that have values of another type.
    ``examples``: before and after, where only what the steps touch is shown, and of hidden fields that they
    are there.
    """

    name: str
    kind: str
    steps: tuple[str, ...]
    phase: str | None
    records: int
    losses: dict[str, int]
    misfits: dict[str, int]
    examples: list[tuple[Document, Document]] = field(default_factory=list)


@dataclass(frozen=True)
class RemovedState:
    """Records in a state that their graph does not declare any more. ``name``: ``Parcel.status.HELD``."""

    name: str
    kind: str
    records: int


@dataclass(frozen=True)
class Unfilled:
    """Records without a value of a required field at their top. ``name``: ``Parcel.ordered``."""

    name: str
    kind: str
    records: int


async def plan_realm(keeper: Keeper, database: str, *, examples: int = 0) -> list[Planned]:
    """Plan the migrations that are due in a realm, begun or not."""
    stored = await read_shapes(keeper.store, database)
    running = by_record_type(await keeper.notes.read_in_force(), database)
    plans = []
    for name, kind in keeper.settling.kinds.items():
        noted = stored.get(name) or Noted(1, return_to_former(keeper.settling.shapes[name]))
        steps = derive_steps(name, noted.shape, keeper.settling.shapes[name])
        if not steps:
            continue
        spelling, access = Spelling(noted.number + 1, steps), as_service(kind, database)
        found = await _sample(keeper.store, access, spelling, examples)
        masked = {name: MASKED for name in spelling.tops if overlap_any(name, kind.hidden)}
        plans.append(
            Planned(
                name=name_of(name, noted.number + 1),
                kind=name,
                steps=tuple(one.name for one in steps),
                phase=running[name]["phase"] if name in running else None,
                records=await keeper.store.count(access, EVERYTHING),
                losses=await find_losses(keeper.store, access, steps, noted.number + 1),
                misfits=await find_misfits(keeper.store, access, steps, noted.number + 1),
                examples=[
                    ({**named, **one["before"]}, {**named, **one["after"], **masked})
                    for one in found
                    for named in [{"refName": one["refName"]}]
                ],
            )
        )
    return plans


async def _sample(store: Store, access: Access[Any], spelling: Spelling, number: int) -> list[Document]:
    """Return the first records that steps change, which may come behind millions of others."""
    found: list[Document] = []
    if number:
        async for within in read_ranges(store, access):
            found += await store.sample_unmoved(access, spelling, within, number - len(found))
            if len(found) == number:
                break
    return found


async def plan_states(keeper: Keeper, database: str) -> list[RemovedState]:
    """List the removed states in which records of a realm still are."""
    stored, found = await read_shapes(keeper.store, database), []
    for name, kind in keeper.settling.kinds.items():
        if name not in stored:
            continue
        removed = list_removed_states(stored[name].shape, keeper.settling.shapes[name])
        for field_name, states in removed.items():
            for state in states:
                match = equals(**{field_name: state})
                if number := await _count(keeper.store, as_service(kind, database), match):
                    found.append(RemovedState(f"{kind.shown_name}.{field_name}.{state}", name, number))
    return found


async def plan_required(keeper: Keeper, database: str) -> list[Unfilled]:
    """List the required fields that records of a realm lack: each write of these records is refused."""
    found = []
    for name, kind in keeper.settling.kinds.items():
        declared = keeper.settling.shapes[name]["fields"]
        lacking = {one: lacks(one) for one in sorted(kind.required & declared.keys())}
        access = as_service(kind, database)
        if kind.lenient or not lacking or not await _count(keeper.store, access, any_of([*lacking.values()])):
            continue
        for field_name, match in lacking.items():
            if number := await _count(keeper.store, access, match):
                found.append(Unfilled(f"{kind.shown_name}.{field_name}", name, number))
    return found


async def _count(store: Store, access: Access[Any], match: Predicate) -> int:
    ranges = read_ranges(store, access)
    return sum([await store.count(access, by_id_range(*within) & match) async for within in ranges])
