"""Reading of what a watcher has missed, from the log of the store."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Final

from runtime.errors import FeedExpired
from runtime.storage.store import HistoryLost, Place, Written

Missed = AsyncGenerator[Written | Place, None]
"""Writes as they are read from the log, and places up to which it was read."""

_BEGIN_SECONDS: Final = 1.0
"""How long the first write is waited for, which may turn out not to be shown any more."""


async def begin_reading(
    missed: Missed, after: Place, is_shown: Callable[[Written], Awaitable[bool]]
) -> Missed:
    """Read the first of what was missed behind ``after``.

    What is not shown of the transaction that the place is in is passed over: the place behind it would be the
    same, to which a client would come back for ever if there was a gap next.

    Raises ``FeedExpired`` where the log does not reach so far back, or does not show the first write; what it
    returns does where the log has a gap further on.
    """
    clock = asyncio.get_running_loop().time
    end = clock() + _BEGIN_SECONDS
    try:
        first = await anext(missed, None)
        while (isinstance(first, Place) and clock() < end) or (
            isinstance(first, Written)
            and first.is_whole
            and first.place.time == after.time
            and not await is_shown(first)
        ):
            first = await anext(missed, None)
    except HistoryLost as error:
        raise build_expired() from error
    if isinstance(first, Written) and not first.is_whole:
        await missed.aclose()
        raise build_expired()
    return _continue(first, missed)


async def _continue(first: Written | Place | None, missed: Missed) -> Missed:
    async with aclosing(missed):
        if first is None:
            return
        yield first
        try:
            async for one in missed:
                yield one
        except HistoryLost as error:
            raise build_expired() from error


def build_expired() -> FeedExpired:
    """Build the refusal of a place to which the log does not reach back any more."""
    return FeedExpired(
        "the log no longer reaches back to this place: list the records, and go on from since=now"
    )
