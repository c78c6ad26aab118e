"""Lets caches know at once what another worker, or a hand at the database, has changed.

One task a process follows the change stream (``Store.follow``) and hands each signal to whoever keeps
something of that record type. It is an accelerator: every cache also forgets by age, and what decides
whether a token is accepted is looked up each second while the stream is silent. What is reported are
names and ids, hence no values.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Any, Protocol

from runtime.logs import log
from runtime.model.record_type import RecordType
from runtime.storage.store import Changed, Following

_PAUSE_SECONDS = 1.0


class Forget(Protocol):
    """Drops what is known of a record, None for any, of a database, None for any. Quick; raises nothing."""

    def __call__(self, database: str | None, record_id: str | None, /) -> None: ...


Watched = Sequence[tuple[RecordType[Any], Forget]]
"""Who is told of which record type; several may be told of one."""


class Watcher:
    """Hands signals on. ``is_alive``: whether changes are told at once now, not only by age."""

    def __init__(self, watched: Watched, following: Following) -> None:
        self._following = following
        self._watched = watched

    @property
    def is_alive(self) -> bool:
        """Whether the stream answered within the last seconds."""
        return self._following.is_alive

    async def run(self) -> None:
        """Until cancelled. A fault of ours is logged and drops everything, then it goes on."""
        while True:
            try:
                async with aclosing(self._following.signals()) as signals:
                    async for changed in signals:
                        self.tell(changed)
            except Exception as error:
                log.error("changes.fault", exc_info=error)
                self.tell(Changed())
                await asyncio.sleep(_PAUSE_SECONDS)

    def tell(self, changed: Changed) -> None:
        """One signal to whom it concerns."""
        for kind, forget in self._watched:
            if changed.collection in (None, kind.collection):
                forget(changed.database, changed.record_id)


@asynccontextmanager
async def watching(
    following: Following, watched: Watched, *, enabled: bool = True
) -> AsyncIterator[Watcher | None]:
    """A watcher at work as long as the block lasts; None when change streams are switched off."""
    if not enabled:
        yield None
        return
    watcher = Watcher(watched, following)
    task = asyncio.create_task(watcher.run(), name="watching")
    try:
        yield watcher
    finally:
        while not task.done():
            task.cancel()  # again, should the driver have taken the first one for a fault
            await asyncio.wait({task}, timeout=_PAUSE_SECONDS)
