"""The stream of one watcher: what it missed, then what is written, until it is over.

The watcher joins the hub first, and then reads what was written up to the place at which it joined: together
that is every write once. In between the hub's writes wait for it.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

from runtime.errors import ServiceError
from runtime.events.watch import CHANGED, Watch
from runtime.server_sent import HEADERS, MEDIA_TYPE, render_comment
from runtime.storage.hub import Hub
from runtime.stream import Stream

Past = AsyncGenerator[bytes, None]
"""Rendered events of the past."""

KEEP_ALIVE_SECONDS: Final = 15.0

_ENDED: Final = render_comment("access has ended")


def start_stream(watch: Watch, hub: Hub, first: bytes, past: Past | None = None) -> Stream:
    """Return the stream of a watch that has joined the hub. ``past``: what comes before the hub's writes."""
    watch.begin()
    return Stream(first, _send(watch, hub, past), MEDIA_TYPE, HEADERS, on_gone=lambda: _leave(watch, hub))


def _leave(watch: Watch, hub: Hub) -> None:
    watch.drop()
    hub.leave(watch)


async def _send(watch: Watch, hub: Hub, past: Past | None) -> AsyncGenerator[bytes, None]:
    try:
        if past is not None:
            async with aclosing(_keep_to_rights(watch, past)) as pieces:
                async for piece in pieces:
                    yield piece
        clock = asyncio.get_running_loop().time
        sent = clock()
        while True:
            await watch.wait(sent + KEEP_ALIVE_SECONDS - clock())
            await watch.keep_rights()
            place, is_over = hub.place, watch.is_over
            piece = watch.collect()
            if not piece and not is_over and clock() - sent >= KEEP_ALIVE_SECONDS:
                # Up to this place nothing more is to be sent: that of a client that gets no events for long
                # does not grow too old to go on from.
                piece = render_comment("keep-alive", None if place is None else watch.name_place(place))
            if piece:
                sent = clock()
                yield piece
            if is_over:
                return
    except ServiceError as error:
        if error.status < 500:  # else the client connects again
            yield _ENDED
    finally:
        if past is not None:
            await past.aclose()
        _leave(watch, hub)


async def _keep_to_rights(watch: Watch, past: Past) -> AsyncGenerator[bytes, None]:
    """Yield the past as long as rights are those with which it is rendered; then end the watch."""
    async for piece in past:
        call = watch.call
        await watch.keep_rights()
        if watch.is_gone:  # nobody looks at its rights any more
            return
        if watch.call is not call:
            watch.drop()
            yield CHANGED
            return
        yield piece
