"""Stored rows of a session, as many as memory should hold: their sizes are read first.

A file may have hundreds of rows of some megabytes each, which must not be read together.
"""

from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from runtime.filter import Predicate, Projection
from runtime.storage.access import Access
from runtime.storage.store import AnyOrder, AnyStore
from runtime.system.documents import ImportRowDocument
from runtime.transfer.rows.reading import MOST_TOGETHER

REPORT: Final = Projection(include=("report",))
"""What is reported of a row."""

_SIZE: Final = Projection(include=("size",))


async def find_few(
    store: AnyStore,
    access: Access[ImportRowDocument],
    match: Predicate,
    order: AnyOrder,
    *,
    limit: int,
    skip: int = 0,
    projection: Projection | None = None,
) -> list[ImportRowDocument]:
    """Read the first rows: at most ``limit``, and no more large ones than are decided together.

    Empty only where nothing matches.
    """
    sizes = await store.find(access, match, order=order, projection=_SIZE, skip=skip, limit=limit)
    few = _count_fitting([row.get("size", 0) for row in sizes])
    if not few:
        return []
    return await store.find(access, match, order=order, projection=projection, skip=skip, limit=few)


def _count_fitting(sizes: Sequence[int]) -> int:
    """Return how many of the first rows are read together, at least one."""
    return max(sum(end <= MOST_TOGETHER for end in accumulate(sizes)), min(1, len(sizes)))
