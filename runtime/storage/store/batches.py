"""What a query finds, batch by batch, for more than memory should hold.

A batch is small at first. For a caller who keeps up the next ones are larger, and the store makes each while
the one before is at work, unless another stream is at work as well. A caller who is slow, because a reader
is, gets small batches and none ahead. What is held beyond small batches comes out of a room that all streams
of the process share: readers who were fast and stop cannot fill the memory.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, Final, TypeAlias

import bson
from pymongo.asynchronous.command_cursor import AsyncCommandCursor
from pymongo.asynchronous.cursor import AsyncCursor

from runtime.admission import Turn
from runtime.event_loop import let_others_run, let_task_send
from runtime.storage.lane import LaneCursor
from runtime.storage.store.changes import Document

Cursor = AsyncCursor[Document] | AsyncCommandCursor[Document]
AnyCursor: TypeAlias = Cursor | LaneCursor

_SLOW_SECONDS: Final = 0.25
"""A caller that takes longer over a batch does not keep up."""

_MOST: Final = 1200
"""Records that are read at once where they are small: so few that the first are there soon, so many that
asking for them takes little of the time."""

SMALL: Final = 48 * 2**10
"""Bytes of a small batch: with the bytes that are made of it, and those on their way, no more than 256 KB."""

_MOST_BYTES: Final = 2**20
_AT_A_STRETCH: Final = 2**17
"""Bytes of records that are converted in one turn of the event loop: some milliseconds of work."""

_DECODED: Final = 4
"""A document takes about so many times the bytes that it came in."""

_ROOM: Final = 32 * 2**20

WEIGHED: Final = 20
"""Records that are sampled to estimate the size of each."""


class Room:
    """Bytes that all streams of a process share. ``work``: held by the one that computes."""

    def __init__(self, size: int = _ROOM) -> None:
        self.free = size
        self.work = asyncio.Lock()

    def take(self, size: int) -> bool:
        """Take so many, unless there are less."""
        if size > self.free:
            return False
        self.free -= size
        return True


class Batches:
    """An asynchronous iterator over lists of documents, none of them empty.

    ``each``: bytes of a document. ``within`` surrounds each command, and so does ``turn`` from the second on:
    the first is part of the request that asks. Close it (``aclosing``) to close the cursor in the store.
    """

    def __init__(
        self,
        cursor: Cursor,
        each: float,
        within: Callable[[], AbstractAsyncContextManager[None]],
        turn: Turn,
        room: Room,
    ) -> None:
        self._cursor = cursor.batch_size(in_bytes(SMALL, each))
        self._each = each
        self._within = within
        self._turn = turn
        self._room = room
        self._room_used = 0
        self._target = SMALL
        self._ahead: asyncio.Task[list[Document]] | None = None
        self._given: float | None = None

    def __aiter__(self) -> Batches:
        return self

    async def __anext__(self) -> list[Document]:
        keeps_up = self._given is not None and time.monotonic() - self._given < _SLOW_SECONDS
        batch = await (self._ahead or self._read())
        self._ahead = None
        if not batch:
            raise StopAsyncIteration
        if self._plan(len(batch), keeps_up):
            self._ahead = asyncio.create_task(self._read())
            await let_task_send()
        self._given = time.monotonic()
        return batch

    async def convert(self, batch: list[Document], convert: Callable[[list[Document]], bytes]) -> bytes:
        """Convert a batch, a stretch at a time.

        Only one stream of the process does so between two turns of all other work, however many there are.
        """
        parts, number = list[bytes](), in_bytes(_AT_A_STRETCH, self._each)
        for at in range(0, len(batch), number):
            async with self._room.work:
                parts.append(convert(batch[at : at + number]))
                await let_others_run()
        self._given = time.monotonic()  # the wait for other streams is not that of a slow caller
        return b"".join(parts)

    async def aclose(self) -> None:
        """Close the cursor, and cancel the command under way."""
        self._use_room(0)
        if self._ahead is not None:
            self._ahead.cancel()
            await asyncio.gather(self._ahead, return_exceptions=True)
        await self._cursor.close()

    def _plan(self, number: int, keeps_up: bool) -> bool:
        """Set the size of the next batch; return whether to request it at once."""
        held, wanted = max(0, int(number * self._each) - SMALL), min(2 * self._target, _MOST_BYTES)
        is_large = keeps_up and self._use_room(held + _DECODED * wanted)
        if not is_large:
            wanted = SMALL
            self._use_room(held)
        self._target = wanted
        # The driver has no other way to say it once a cursor has begun.
        self._cursor._batch_size = in_bytes(wanted, self._each)
        return is_large and not self._room.work.locked()

    def _use_room(self, size: int) -> bool:
        """Reserve so many bytes of the room in place of those reserved before."""
        self._room.free += self._room_used
        self._room_used = size if self._room.take(size) else 0
        return self._room_used == size

    async def _read(self) -> list[Document]:
        if self._given is None:
            return await self._read_answer()
        async with self._turn.another():
            return await self._read_answer()

    async def _read_answer(self) -> list[Document]:
        """Read one answer of the store; empty at the end."""
        async with self._within():
            return await _read_answer(self._cursor)


async def read_one_answer(cursor: AnyCursor) -> tuple[list[Document], bool]:
    """Return the first documents of a query, 16 MB at most, and whether more follow; close it."""
    if isinstance(cursor, LaneCursor):
        return await cursor.read_first()
    async with cursor:
        rows = await _read_answer(cursor)
        return rows, bool(rows) and cursor.alive


async def _read_answer(cursor: Cursor) -> list[Document]:
    """Read the documents that the store sends at once; empty at the end."""
    if (first := await anext(cursor, None)) is None:
        return []
    further = len(cursor._data)  # what came with it
    return [first, *(await cursor.to_list(further) if further else ())]


def size_of_each(records: Sequence[Any]) -> float:
    """Return the average size of records in bytes."""
    return len(bson.encode({"": records})) / max(1, len(records))


def in_bytes(size: int, each: float) -> int:
    """Return how many records are read at once: large ones take no more memory than small ones."""
    return min(_MOST, max(1, int(size / each)))
