"""Work that runs, or is repeated, for as long as other work lasts."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any, Final

from runtime.errors import ServiceError
from runtime.logs import log

_PAUSE_SECONDS: Final = 1.0


@asynccontextmanager
async def keep_running(work: Coroutine[Any, Any, None], name: str) -> AsyncIterator[None]:
    """Run ``work``, which does not end of itself, for the duration of the block."""
    task = asyncio.create_task(work, name=name)
    try:
        yield
    finally:
        await end_task(task)


async def end_task(task: asyncio.Task[None]) -> None:
    """Cancel a task until it has ended: the driver may take the first cancellation for a fault."""
    while not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=_PAUSE_SECONDS)


def heed_cancellation() -> None:
    """Raise a cancellation that the driver took for a fault, as it does while it sends."""
    task = asyncio.current_task()
    if task is not None and task.cancelling():
        raise asyncio.CancelledError


@asynccontextmanager
async def keep_repeating(
    work: Callable[[], Awaitable[None]], seconds: float | Callable[[], float], name: str
) -> AsyncIterator[None]:
    """Repeat ``work`` every so many seconds for the duration of the block; a function is asked each time.

    A command of the store that has begun is awaited: the driver may take a cancellation for a fault.
    """
    is_over = asyncio.Event()

    async def repeat() -> None:
        while True:
            with suppress(TimeoutError):
                pause = seconds if isinstance(seconds, float | int) else seconds()
                await asyncio.wait_for(is_over.wait(), pause)
                return
            await work()

    task = asyncio.create_task(repeat(), name=name)
    try:
        yield
    finally:
        is_over.set()
        await asyncio.wait({task})


def outlive_faults(work: Callable[[], Awaitable[object]], event: str) -> Callable[[], Awaitable[None]]:
    """Return work that raises nothing, to be repeated: the store may answer next time.

    A fault of ours must not end it for good in this process. It is logged as ``event``.
    """

    async def attempt() -> None:
        try:
            await work()
        except ServiceError:
            return
        except Exception as error:
            log.error(event, exc_info=error)

    return attempt
