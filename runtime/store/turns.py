"""Turns: transactions of one process that will write to the same record go one behind the other.

MongoDB lets the later of two fail and begin anew; of many at one record nearly all would, again and again,
until their time is over. Those of other processes still meet there: that is rare, and is what the
transaction is for. Nothing but speed depends on turns.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import AsyncExitStack, asynccontextmanager
from weakref import WeakValueDictionary

from runtime.errors import StoreUnavailable


class Turns:
    """Remembers the records that somebody waits for, no others."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def at(self, names: Collection[str], seconds: float) -> AsyncIterator[None]:
        """Have the turn at all of these for as long as the block lasts; taken in order, so that nobody waits
        in a circle. Raises ``StoreUnavailable`` when it does not come in time."""
        locks = [self._locks.setdefault(name, asyncio.Lock()) for name in sorted(names)]
        async with AsyncExitStack() as held:
            try:
                async with asyncio.timeout(seconds):
                    for lock in locks:
                        await held.enter_async_context(lock)
            except TimeoutError as error:
                raise StoreUnavailable("too many write to the same record; try again", cause=error) from error
            yield
