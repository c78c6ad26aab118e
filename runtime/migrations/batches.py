"""Working in batches while the service runs: their sizes, the pauses in between, and batches that fail."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final

from runtime.errors import RecordBusy, StoreUnavailable
from runtime.migrations.pace import BatchPace, resize
from runtime.storage.access import Access
from runtime.storage.store import Range, Store

FIRST: Final = 500
FEW: Final = 10
_FIRST, _MOST, _LEAST = FIRST, 5_000, 1
_TARGET_SECONDS: Final = 0.25
_SMALL: Final = 50
"""A batch of so many records takes long because its commands wait: smaller ones would wait as long each."""

COUNTED: Final = 50_000
"""Records that one command looks at: it takes a fraction of its time limit."""

PATIENCE: Final = 20
"""Batches that fail one after the other."""

Tell = Callable[[int], object]
Work = Callable[[int], Awaitable[int | None]]
"""Works on the next records, of at most so many; returns how many there were, None without any."""


async def read_ranges(store: Store, access: Access[Any]) -> AsyncIterator[Range]:
    """Yield the ranges of ids in which all records are, for a command each."""
    after = None
    while (until := await store.find_range_end(access, after, COUNTED)) is not None:
        yield after, until
        after = until


async def run_batches(store: Store, work: Work, tell: Tell) -> None:
    """Work until no record is left. Raises what stops a batch again and again."""
    size, failures, pace = _FIRST, 0, BatchPace()
    meter = _Meter(store)
    await meter.read()
    while True:
        try:
            counted = await work(size)
        except (StoreUnavailable, RecordBusy):
            failures += 1
            if failures > PATIENCE:
                raise
            size = max(_LEAST, size // 4)
            await asyncio.sleep(0.1 * failures)
            await meter.read()
            continue
        if counted is None:
            return
        tell(counted)
        seconds, requests = await meter.read()
        pace.note_batch(seconds, requests)
        if counted >= size:
            least = min(_SMALL, 2 * size)
            size = resize(size, seconds, target=_TARGET_SECONDS, least=least, most=_MOST)
        failures = 0
        await asyncio.sleep(pace.rest_after(seconds))
        pace.note_pause(*await meter.read())


class _Meter:
    """The time, and the requests that the store has served, since it was last read."""

    def __init__(self, store: Store) -> None:
        self._store, self._time = store, time.monotonic()
        self._requests: int | None = None

    async def read(self) -> tuple[float, int | None]:
        """Return both, and begin again."""
        try:
            requests = await self._store.count_served()
        except StoreUnavailable:
            requests = None
        now, before = time.monotonic(), self._requests
        served = None if requests is None or before is None else max(0, requests - before)
        seconds, self._time, self._requests = now - self._time, now, requests
        return seconds, served
