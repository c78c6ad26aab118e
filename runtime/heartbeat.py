"""Work that is repeated for as long as other work lasts."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress


@asynccontextmanager
async def keep_repeating(
    work: Callable[[], Awaitable[None]], seconds: float, name: str
) -> AsyncIterator[None]:
    """Repeat ``work`` every so many seconds for the duration of the block.

    A command of the store that has begun is awaited: the driver may take a cancellation for a fault.
    """
    is_over = asyncio.Event()

    async def repeat() -> None:
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(is_over.wait(), seconds)
                return
            await work()

    task = asyncio.create_task(repeat(), name=name)
    try:
        yield
    finally:
        is_over.set()
        await asyncio.wait({task})
