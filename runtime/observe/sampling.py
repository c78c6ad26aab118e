"""What is looked at every so often: how late the event loop is, and states that other parts know."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Final

from runtime.heartbeat import keep_repeating, outlive_faults
from runtime.observe.meters import Meters

_LAG_SECONDS: Final = 0.25
_SHOW_SECONDS: Final = 1.0
_COUNT_SECONDS: Final = 15.0


@asynccontextmanager
async def keep_sampling(
    meters: Meters | None, show: Callable[[Meters], None], count: Callable[[Meters], Awaitable[None]]
) -> AsyncIterator[None]:
    """Sample for the duration of the block; nothing without meters.

    ``show`` looks at memory; ``count`` asks the store, so it is called less often.
    """
    if meters is None:
        yield
        return
    known = meters

    async def sample_states() -> None:
        show(known)

    count_stored = outlive_faults(partial(count, known), "metrics.fault")
    async with AsyncExitStack() as stack:
        lag = asyncio.create_task(_watch_lag(known), name="event-loop-lag")
        stack.callback(lag.cancel)
        await stack.enter_async_context(keep_repeating(sample_states, _SHOW_SECONDS, "metrics"))
        await stack.enter_async_context(keep_repeating(count_stored, _COUNT_SECONDS, "metrics-of-store"))
        stack.callback(known.flush)
        show(known)
        yield


async def _watch_lag(meters: Meters) -> None:
    """Sleep, record how much longer that took, and pass on what was counted; until it is cancelled."""
    loop = asyncio.get_running_loop()
    while True:
        due = loop.time() + _LAG_SECONDS
        await asyncio.sleep(_LAG_SECONDS)
        meters.observe_lag(max(0.0, loop.time() - due))
        meters.flush()
