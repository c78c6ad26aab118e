"""Builds of indexes on one collection, some of them at the same time."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Final, TypeVar

ModelT = TypeVar("ModelT")

BUILD_SECONDS: Final = 600
"""Building an index on many records outlasts the time limit of other commands by far."""


async def create_indexes(
    create: Callable[[list[ModelT]], Awaitable[object]], models: Sequence[ModelT], at_once: int
) -> None:
    """Create indexes by ``create``, and wait for all. Raises what it does for the first that fails.

    ``at_once``: builds at the same time, each of which reads all documents and keeps one processor busy.
    """
    parts = [part for first in range(at_once) if (part := [*models[first::at_once]])]
    for done in await asyncio.gather(*map(create, parts), return_exceptions=True):
        if isinstance(done, BaseException):
            raise done
