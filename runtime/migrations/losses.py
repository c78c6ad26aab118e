"""Values that the steps of a migration would lose, and values of another type that they would move.

A ``renamedFrom`` that is declared late moves values as they are: the noted shape has forgotten which type the
former name had.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from runtime.errors import Misconfigured
from runtime.migrations.batches import read_ranges
from runtime.model.counting import count_things
from runtime.spelling import Spelling, Step
from runtime.storage.access import Access
from runtime.storage.store import Store


async def find_losses(
    store: Store, access: Access[Any], steps: Sequence[Step], number: int
) -> dict[str, int]:
    """Return the steps to the shape of this number that lose something, and in how many records."""
    losses, sound = {}, tuple(step for step in steps if not step.loses)
    for step in steps:
        if step.loses:
            lossy = Spelling(number, (*sound, step))
            if lost := await _count_lost(store, access, lossy, Spelling(number, sound)):
                losses[step.name] = lost
    return losses


async def find_misfits(
    store: Store, access: Access[Any], steps: Sequence[Step], number: int
) -> dict[str, int]:
    """Return the steps that move values of another type, and in how many records."""
    misfits, sound = {}, Spelling(number, tuple(steps))
    for step in steps:
        if step.admits is not None:
            admitted = replace(step, operation=step.admits, loses=True)
            if found := await _count_lost(store, access, Spelling(number, (*steps, admitted)), sound):
                misfits[step.name] = found
    return misfits


async def _count_lost(store: Store, access: Access[Any], lossy: Spelling, sound: Spelling) -> int:
    ranges = read_ranges(store, access)
    return sum([await store.count_lost(access, lossy, sound, within) async for within in ranges])


async def require_fitting(store: Store, access: Access[Any], steps: Sequence[Step], number: int) -> None:
    """Raise ``Misconfigured`` where steps would move values of another type."""
    misfits = await find_misfits(store, access, steps, number)
    if misfits:
        wrong = ", ".join(f"{name} in {count_things(number, 'record')}" for name, number in misfits.items())
        raise Misconfigured(
            f"values of another type would be moved by {wrong}: the former name was that of another type. "
            "Declare that field again, with its former name and type, next to the new one, and fill the new "
            "one by a file in migrations/"
        )
