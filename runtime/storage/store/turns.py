"""Turns: writers of one process that want the same record go one at a time.

Of many that read a record, change it and store it only if nobody else has, one succeeds and all others begin
again. Without turns no write would be lost either: they save the work that is thrown away then, and serve
writers in the order in which they came. Those of other processes still meet at the store.
"""

import asyncio
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from typing import Any, Final, NamedTuple
from weakref import WeakValueDictionary

import bson

from runtime.errors import RecordBusy

MOST_WAITING: Final = 1000
"""Writers that may wait for one record: about as many as a deadline's time has room for."""


class Left(NamedTuple):
    """A record as a writer has stored it, for the next in line.

    ``read_at``: when what it was built from was read from the store (``time.monotonic``).
    """

    encoded: bytes
    read_at: float

    @property
    def document(self) -> dict[str, Any]:
        """A copy of its own for each caller, as the store would return it."""
        return bson.decode(self.encoded)


class Line(asyncio.Lock):
    """The turn at one record. ``waiting``: how many want it next. ``left``: what the last writer stored."""

    waiting = 0
    left: Left | None = None
    _is_left_now = False

    def leave(self, document: dict[str, Any] | None, read_at: float) -> None:
        """Save the next in line reading what the holder of the turn has just stored."""
        self._is_left_now = document is not None and self.waiting > 0
        self.left = Left(bson.encode(document), read_at) if document and self._is_left_now else None

    def pass_on(self) -> None:
        """End the turn. What an earlier holder left is outdated unless this one has left something."""
        if not self._is_left_now:
            self.left = None
        self._is_left_now = False
        self.release()

    @property
    def is_busy(self) -> bool:
        """Whether a newcomer would wait."""
        return self.locked() or self.waiting > 0


class Turns:
    """Remembers the records that somebody writes or waits for, no others."""

    def __init__(self) -> None:
        self._lines: WeakValueDictionary[str, Line] = WeakValueDictionary()

    def busy_line(self, name: str) -> Line | None:
        """Return the turn at this record, if somebody has it or waits for it."""
        line = self._lines.get(name)
        return line if line is not None and line.is_busy else None

    @asynccontextmanager
    async def take(self, names: Collection[str], seconds: float) -> AsyncIterator[Sequence[Line]]:
        """Hold the turn at all of these records for the duration of the block.

        Turns are taken in the order of their names, so that there is no deadlock. Raises ``RecordBusy``
        when they do not come within ``seconds``, or when too many wait already.
        """
        lines = [self._lines.setdefault(name, Line()) for name in sorted(set(names))]
        deadline = asyncio.get_running_loop().time() + seconds
        held: list[Line] = []
        try:
            for line in lines:
                await _take(line, deadline)
                held.append(line)
            yield lines
        finally:
            for line in held:
                line.pass_on()


async def _take(line: Line, deadline: float) -> None:
    if not line.is_busy:
        await line.acquire()  # at once: no timer is needed
        return
    if line.waiting >= MOST_WAITING:
        raise RecordBusy("too many requests write this record; try again later")
    line.waiting += 1
    try:
        async with asyncio.timeout_at(deadline):
            await line.acquire()
    except TimeoutError as error:
        raise RecordBusy("too many requests write this record; try again later", cause=error) from error
    finally:
        line.waiting -= 1
