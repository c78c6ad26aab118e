"""Values that a ``renamedFrom`` which is declared late would move although they are not of the field's type.

The noted shape has forgotten which type the former name had, so such values move as they are.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from runtime.errors import Misconfigured
from runtime.spelling import Spelling, Step
from runtime.storage.access import Access
from runtime.storage.store import Store


async def find_misfits(
    store: Store, access: Access[Any], steps: Sequence[Step], number: int
) -> dict[str, int]:
    """Return which of the steps to the shape of this number move such values, and in how many records."""
    misfits, sound = {}, Spelling(number, tuple(steps))
    for step in steps:
        if step.admits is not None:
            admitted = replace(step, operation=step.admits, loses=True)
            if found := await store.count_lost(access, Spelling(number, (*steps, admitted)), sound):
                misfits[step.name] = found
    return misfits


async def require_fitting(store: Store, access: Access[Any], steps: Sequence[Step], number: int) -> None:
    """Raise ``Misconfigured`` where there are any."""
    misfits = await find_misfits(store, access, steps, number)
    if misfits:
        wrong = ", ".join(f"{name} in {number} records" for name, number in misfits.items())
        raise Misconfigured(
            f"values of another type would be moved by {wrong}: the former name was that of another type. "
            "Declare that field again, with its former name and type, next to the new one, and fill the new "
            "one by a file in migrations/"
        )
