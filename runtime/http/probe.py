"""A look at the service that all share who ask in the same moment, so that asking often costs no more."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from runtime.errors import ServiceError

SECONDS: Final = 1.0
"""For how long callers share a look, from its beginning: so long a fault may go unseen."""


class Probe:
    """Looks when somebody asks and nobody has, a moment ago. ``look`` returns the faults that it finds."""

    def __init__(self, look: Callable[[], Awaitable[list[ServiceError]]], clock: Callable[[], float]) -> None:
        self._look, self._clock = look, clock
        self._task: asyncio.Task[list[ServiceError]] | None = None
        self._ends = 0.0

    async def find_faults(self) -> list[ServiceError]:
        """Return the faults that were found; the errors are the caller's own."""
        if self._task is None or (self._task.done() and not self._is_good(self._task)):
            self._ends = self._clock() + SECONDS
            self._task = asyncio.create_task(self._run(), name="readiness")
        return [one.renew() for one in await asyncio.shield(self._task)]

    def _is_good(self, task: asyncio.Task[list[ServiceError]]) -> bool:
        return not task.cancelled() and task.exception() is None and self._clock() < self._ends

    async def _run(self) -> list[ServiceError]:
        return await self._look()
