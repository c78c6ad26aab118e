"""Reading one answer of the store, with or without the lane."""

from typing import TypeAlias

from runtime.storage.lane import LaneCursor
from runtime.storage.store.batches import Cursor
from runtime.storage.store.changes import Document

AnyCursor: TypeAlias = Cursor | LaneCursor


async def read_one_answer(cursor: AnyCursor) -> tuple[list[Document], bool]:
    """Return the first documents of a query, 16 MB at most, and whether more follow; close it."""
    if isinstance(cursor, LaneCursor):
        return await cursor.read_first()
    async with cursor:
        if (first := await anext(cursor, None)) is None:
            return [], False
        further = len(cursor._data)  # what came with it
        return [first, *(await cursor.to_list(further) if further else ())], cursor.alive
