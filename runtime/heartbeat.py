"""Work that is repeated for as long as other work lasts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress


@asynccontextmanager
async def repeating(work: Callable[[], Awaitable[None]], seconds: float, name: str) -> AsyncIterator[None]:
    """Do something every so many seconds, as long as the block lasts. A command of the store that has begun
    is waited for: the driver may take a cancellation for a fault."""
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
