"""What became of deliveries is stored in groups: those that are under way at about the same time.

A group costs two commands whatever its size, which the writes of others pay for where the machine is busy.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence

from runtime.errors import ServiceError
from runtime.logs import log
from runtime.outbox.queue import Queue, Settled

_GATHER_SECONDS, _MOST_GATHERED = 0.005, 6
"""How long a group waits for others that are under way, and how often."""


class Settling:
    """Stores outcomes. ``report`` is called with a database in which others may have become due.

    ``is_sending``: whether deliveries are under way.
    """

    def __init__(self, queue: Queue, report: Callable[[str], None], is_sending: Callable[[], bool]) -> None:
        self._queue, self._report, self._is_sending = queue, report, is_sending
        self._done: dict[str, list[Settled]] = defaultdict(list)
        self._storing: asyncio.Task[None] | None = None

    @property
    def task(self) -> asyncio.Task[None] | None:
        """The task that stores, as long as there is something to store."""
        return self._storing

    def add(self, database: str, settled: Settled) -> None:
        """Store what became of a delivery, soon."""
        self._done[database].append(settled)
        if self._storing is None:
            self._storing = asyncio.create_task(self._store(), name="webhook-outcomes")

    async def _store(self) -> None:
        try:
            while self._done:
                await self._wait_for_others()
                database = next(iter(self._done))  # whose outcomes have waited longest
                if await self._store_together(database, self._done.pop(database)):
                    self._report(database)
        finally:
            self._storing = None

    async def _wait_for_others(self) -> None:
        """Wait until what was sent together is answered, but not long: the next of a line waits for this."""
        for _turn in range(_MOST_GATHERED):
            await asyncio.sleep(_GATHER_SECONDS)
            if not self._is_sending():
                return

    async def _store_together(self, database: str, settled: Sequence[Settled]) -> bool:
        """Store what became of some deliveries; return whether others may be due by that, or these again."""
        try:
            return await self._queue.settle(database, settled)
        except ServiceError:  # their leases end, and they are sent again with the same id
            log.warning("webhooks.not_stored", database=database, number=len(settled))
        except Exception as error:
            log.error("webhooks.fault", exc_info=error)
        return True
