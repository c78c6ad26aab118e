"""When a task gives others their turn at the event loop.

A turn is given with ``await asyncio.sleep(0)``: the loop runs whatever is ready before this task goes on.
There are two reasons for it. A long loop would keep all other requests of the worker waiting (``Pace``). And
a task that was just created has sent nothing yet: the store would wait for its command while the task that
created it computes (``let_task_send``). A turn costs some microseconds, and the time that the others take.
"""

import asyncio
from time import monotonic
from typing import Final

_PACE_SECONDS: Final = 0.005

_TURNS_TO_SEND: Final = 2
"""One for the new task to begin, and one for uvloop to send what the task has written."""


class Pace:
    """Lets others run in a long loop: every few milliseconds, and after so many ``steps``."""

    def __init__(self, steps: int | None = None) -> None:
        self._since = monotonic()
        self._steps = steps
        self._done = 0

    async def step(self) -> None:
        """Let others run, if it is time."""
        self._done += 1
        if self._done == self._steps or monotonic() - self._since > _PACE_SECONDS:
            await let_others_run()
            self._since, self._done = monotonic(), 0


async def let_others_run() -> None:
    """Let all that is ready run before going on."""
    await asyncio.sleep(0)


async def let_task_send() -> None:
    """Let a task that was just created send its command, before going on with other work."""
    for _turn in range(_TURNS_TO_SEND):
        await let_others_run()
