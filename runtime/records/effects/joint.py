"""Work that many want at the same time, done once for all who want it before it begins."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from weakref import WeakValueDictionary


class Joint:
    """Runs work by key, one run of a key at a time."""

    def __init__(self) -> None:
        self._next: dict[Hashable, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()  # the event loop itself holds tasks weakly
        self._running: WeakValueDictionary[Hashable, asyncio.Lock] = WeakValueDictionary()

    async def run(self, key: Hashable, work: Callable[[], Awaitable[object]]) -> None:
        """Return after a run of ``work`` that began after this call.

        A cancelled caller does not stop a run, since others may wait for it. Raises what the run raises.
        """
        task = self._next.get(key)
        if task is None:
            task = self._next[key] = asyncio.create_task(self._begin(key, work))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        await asyncio.shield(task)

    async def _begin(self, key: Hashable, work: Callable[[], Awaitable[object]]) -> None:
        async with self._running.setdefault(key, asyncio.Lock()):
            del self._next[key]
            await work()
