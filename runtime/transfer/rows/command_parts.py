"""Values that are looked up together, in parts that each fit into one command of the store."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final, TypeVar

T = TypeVar("T")

MOST_CHARACTERS: Final = 2 * 2**20
"""Characters of the values of one command, which has at most 16 MiB."""


def split_for_commands(
    values: Iterable[T], size: Callable[[T], int], most_values: int | None = None
) -> Iterator[list[T]]:
    """Split values, in their order. ``size``: characters of one; parts are not empty."""
    part: list[T] = []
    room = MOST_CHARACTERS
    for value in values:
        characters = size(value)
        if part and (characters > room or len(part) == most_values):
            yield part
            part, room = [], MOST_CHARACTERS
        part.append(value)
        room -= characters
    if part:
        yield part
