"""Large rows: what is done with one of them is done in a thread, while the worker answers other requests."""

from collections.abc import Callable, Iterable
from typing import Final, TypeVar

from runtime.aside import run_long
from runtime.transfer.rows.rows import InputRow

T = TypeVar("T")

LARGE: Final = 2**14
"""Characters, or values, that are worked on while all else in the worker waits."""


async def run_if(work: Callable[[], T], *, is_long: bool) -> T:
    """Do some work, in the thread where it may take long; return or raise what it does."""
    return await run_long(work) if is_long else work()


def count_characters(cells: Iterable[str]) -> int:
    """Count the characters of some cells."""
    return sum(map(len, cells))


def is_large(row: InputRow) -> bool:
    """Return whether work on a row takes long: by its first cells, and the values of its other lines."""
    weight = sum(map(len, row.raw.values()))
    for value in row.values.values():
        if isinstance(value, list):
            weight += len(value)
    if row.attributes:
        weight += sum(map(len, row.attributes.values()))
    return weight > LARGE
