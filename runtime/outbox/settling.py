"""What became of deliveries is stored in groups: as many as came together while the last group was stored."""

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Final

from runtime.errors import ServiceError
from runtime.logs import log
from runtime.outbox.queue import Queue, Settled

_GATHER_SECONDS: Final = 0.03
"""Before a group is stored, so that it has what is answered at about the same time."""

_LINED_GATHER_SECONDS: Final = 0.005
"""The same where others waited for those of the last group: a line is as quick as its outcomes are stored."""


class Settling:
    """Stores outcomes. ``report`` is called with a database in which others may have become due.

    ``task``: the task that stores, as long as there is something to store.
    """

    def __init__(self, queue: Queue, report: Callable[[str], None]) -> None:
        self._queue, self._report = queue, report
        self._done: dict[str, list[Settled]] = defaultdict(list)
        self.task: asyncio.Task[None] | None = None
        self._has_lines = False

    def add(self, database: str, settled: Settled) -> None:
        """Store what became of a delivery, soon."""
        self._done[database].append(settled)
        if self.task is None:
            self.task = asyncio.create_task(self._store(), name="webhook-outcomes")

    async def _store(self) -> None:
        try:
            while self._done:
                await asyncio.sleep(_LINED_GATHER_SECONDS if self._has_lines else _GATHER_SECONDS)
                database = next(iter(self._done))  # whose outcomes have waited longest
                self._has_lines = await self._store_together(database, self._done.pop(database))
                if self._has_lines:
                    self._report(database)
        finally:
            self.task = None

    async def _store_together(self, database: str, settled: Sequence[Settled]) -> bool:
        """Store what became of some deliveries; return whether others may be due by that, or these again."""
        try:
            return await self._queue.settle(database, settled)
        except ServiceError:  # their leases end, and they are sent again with the same id
            log.warning("webhooks.not_stored", database=database, number=len(settled))
        except Exception as error:
            log.error("webhooks.fault", exc_info=error)
        return True
