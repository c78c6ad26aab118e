"""Immediate cache invalidation: reports what another worker, or a direct edit of the database, has changed.

One task per process follows the change stream (``Store.follow``) and passes each signal to the caches of
that record type. It is an accelerator: every cache also forgets by age, and what decides whether a token is
accepted is read each second while the stream is silent. Signals carry names and ids, hence no values.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Any, Protocol

from runtime.heartbeat import keep_running
from runtime.logs import log
from runtime.model.record_type import RecordType
from runtime.storage.store import Changed, Following

_PAUSE_SECONDS = 1.0


class Forget(Protocol):
    """Drops what is known of a record, None for any, of a database, None for any. Quick; raises nothing."""

    def __call__(self, database: str | None, record_id: str | None, /) -> None: ...


Watched = Sequence[tuple[RecordType[Any], Forget]]
"""The record types and their caches; several caches may watch one type."""


class Watcher:
    """Delivers signals. ``is_alive``: whether changes arrive at once now, not only by age."""

    def __init__(self, watched: Watched, following: Following) -> None:
        self._following = following
        self._watched = watched

    @property
    def is_alive(self) -> bool:
        """Whether the stream answered within the last seconds."""
        return self._following.is_alive

    async def run(self) -> None:
        """Deliver signals until cancelled. A fault of ours is logged and drops everything; then go on."""
        while True:
            try:
                async with aclosing(self._following.read_signals()) as signals:
                    async for changed in signals:
                        self.tell(changed)
            except Exception as error:
                log.error("changes.fault", exc_info=error)
                self.tell(Changed())
                await asyncio.sleep(_PAUSE_SECONDS)

    def tell(self, changed: Changed) -> None:
        """Deliver one signal to every cache it concerns."""
        for kind, forget in self._watched:
            if changed.collection in (None, kind.collection):
                forget(changed.database, changed.record_id)


@asynccontextmanager
async def watch_changes(
    following: Following, watched: Watched, *, enabled: bool
) -> AsyncIterator[Watcher | None]:
    """Run a watcher for the duration of the block; yield None when change streams are switched off."""
    if not enabled:
        yield None
        return
    watcher = Watcher(watched, following)
    async with keep_running(watcher.run(), "watching"):
        yield watcher
