"""Turns: writers of one process that want the same record go one at a time.

Of many that read a record, change it and store it only if nobody else has, one succeeds and all others begin
again. Without turns no write would be lost either: they save the work that is thrown away then, and serve
writers in the order in which they came. Those of other processes still meet at the store.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final
from weakref import WeakValueDictionary

from runtime.errors import RecordBusy

MOST_WAITING: Final = 1000
"""Writers that may wait for one record: about as many as a deadline's time has room for."""


class _Line(asyncio.Lock):
    """The turn at one record. ``waiting``: how many want it next."""

    waiting = 0

    @property
    def is_busy(self) -> bool:
        """Whether a newcomer would wait."""
        return self.locked() or self.waiting > 0


class Turns:
    """Remembers the records that somebody writes or waits for, no others."""

    def __init__(self) -> None:
        self._lines: WeakValueDictionary[str, _Line] = WeakValueDictionary()

    def is_busy(self, name: str) -> bool:
        """Whether somebody has the turn at this record."""
        line = self._lines.get(name)
        return line is not None and line.is_busy

    @asynccontextmanager
    async def at(self, names: Collection[str], seconds: float) -> AsyncIterator[None]:
        """Have the turn at all of these for as long as the block lasts.

        Turns are taken in the order of their names, so that nobody waits in a circle. Raises ``RecordBusy``
        when they do not come within ``seconds``, or when too many wait already.
        """
        lines = [self._lines.setdefault(name, _Line()) for name in sorted(set(names))]
        deadline = asyncio.get_running_loop().time() + seconds
        async with AsyncExitStack() as held:
            for line in lines:
                await _take(line, deadline)
                held.callback(line.release)
            yield


async def _take(line: _Line, deadline: float) -> None:
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
