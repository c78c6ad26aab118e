"""The one feed of a process, passed on to any number of listeners.

It begins with the first listener and ends a while after the last. A listener that joins at a place is passed
every write behind that place, in order. Where the store has lost a part of the feed, its listeners are ended:
they have to begin again.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing, asynccontextmanager
from typing import Any, Final, Protocol

from runtime.admission import Transfers
from runtime.errors import StoreUnavailable
from runtime.event_loop import Pace
from runtime.heartbeat import end_task
from runtime.logs import log
from runtime.storage.access import Access
from runtime.storage.images import Images
from runtime.storage.store import CollectionName, Feed, HistoryLost, Place, Store, Written

_LINGER_SECONDS: Final = 10.0
"""How long the feed goes on without listeners: those that reconnect find it as it was."""

_PAUSE_SECONDS: Final = 1.0
_PATIENCE_SECONDS: Final = 10.0
"""How long a listener waits for a feed to begin."""


class Listener(Protocol):
    """Is passed the writes of some record types in one database.

    ``prepare`` does aside what ``take`` would need long for; a listener may leave in between. The other two
    are quick. None raises anything.
    """

    @property
    def database(self) -> str: ...
    @property
    def collections(self) -> frozenset[str]: ...
    async def prepare(self, written: Written, /) -> None: ...
    def take(self, written: Written, /) -> None: ...
    def end(self) -> None: ...


class Hub:
    """Who listens to what, and the task that reads the feed for them. ``watchers``: how many streams may."""

    def __init__(self, store: Store, most: int = 64, most_of_one: int = 64) -> None:
        self.watchers = Transfers(most, most_of_one, "event streams")
        self._store = store
        self._images = Images(store)
        self._listeners: dict[CollectionName, dict[Listener, None]] = defaultdict(dict)
        self._feed: Feed | None = None
        self._task: asyncio.Task[None] | None = None
        self._joining: dict[Listener, asyncio.Future[Place]] = {}
        self._lingering: dict[CollectionName, float] = {}
        self._is_closed = False

    @property
    def place(self) -> Place | None:
        """The place up to which all writes were passed on."""
        return None if self._feed is None else self._feed.place

    async def require_images(self, access: Access[Any]) -> None:
        """Raise ``IndexMissing`` for a record type whose writes cannot be shown."""
        await self._images.require(access)

    async def join(self, listener: Listener) -> Place:
        """Pass on writes from now on; return the place behind which all are. Raises ``StoreUnavailable``."""
        if self._is_closed:
            raise StoreUnavailable("the service is stopping; connect again")
        for name in _list_names(listener):
            self._listeners[name][listener] = None
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run(), name="hub")
        joined: asyncio.Future[Place] = asyncio.get_running_loop().create_future()
        self._joining[listener] = joined
        self._admit()
        try:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                return await joined
        except BaseException as error:
            self.leave(listener)
            if isinstance(error, TimeoutError):
                raise StoreUnavailable("the store shows no changes at the moment; try again") from error
            raise

    def _admit(self) -> None:
        """Let those join whose writes the feed follows by now.

        Their place is that of this moment: by the time they have a turn, the feed may have passed on more.
        """
        feed = self._feed
        if feed is None or feed.place is None:
            return
        for listener, joined in list(self._joining.items()):
            if feed.followed >= _list_names(listener):
                del self._joining[listener]
                if not joined.done():
                    joined.set_result(feed.place)

    def leave(self, listener: Listener) -> None:
        """Pass nothing on any more; a listener may leave twice."""
        now = asyncio.get_running_loop().time()
        self._joining.pop(listener, None)
        for name in _list_names(listener):
            found = self._listeners.get(name)
            if found is not None and found.pop(listener, 0) is None and not found:
                del self._listeners[name]
                self._lingering[name] = now + _LINGER_SECONDS

    @property
    def listeners(self) -> int:
        return len({listener for found in self._listeners.values() for listener in found})

    def _list_wanted(self) -> frozenset[CollectionName]:
        """Return the collections that somebody listens to, or did a while ago."""
        now = asyncio.get_running_loop().time()
        self._lingering = {name: until for name, until in self._lingering.items() if until > now}
        return frozenset(self._listeners.keys() | self._lingering.keys())

    async def _run(self) -> None:
        while self._list_wanted():
            self._feed = self._store.feed(self._list_wanted)
            try:
                await self._pass_on(self._feed)
            except HistoryLost as error:
                log.warning("feed.lost", error=repr(error.__cause__))
                self.end_all()
            except Exception as error:  # a fault of ours: listeners have to begin again
                log.error("feed.fault", exc_info=error)
                self.end_all()
                await asyncio.sleep(_PAUSE_SECONDS)
            finally:
                self._feed = None

    async def _pass_on(self, feed: Feed) -> None:
        async with aclosing(feed.read(self._admit)) as writes:
            async for written in writes:
                await self._pass_to_all(written)

    async def _pass_to_all(self, written: Written) -> None:
        """Pass on a write in turns: to those too who join in between, as it lies behind their place."""
        pace, passed = Pace(), set[Listener]()
        while waiting := [one for one in self._find_admitted(written) if one not in passed]:
            for listener in waiting:
                passed.add(listener)
                await self._pass_to(listener, written)
                await pace.step()

    def _find_listeners(self, written: Written) -> Mapping[Listener, None]:
        return self._listeners.get((written.database, written.collection), {})

    def _find_admitted(self, written: Written) -> list[Listener]:
        return [one for one in self._find_listeners(written) if one not in self._joining]

    async def _pass_to(self, listener: Listener, written: Written) -> None:
        """Pass on a write, unless the listener has left. A fault of one ends this one, and no other."""
        try:
            if listener in self._find_listeners(written):
                await listener.prepare(written)
            if listener in self._find_listeners(written):
                listener.take(written)
        except Exception as error:
            log.error("feed.listener_fault", exc_info=error)
            listener.end()

    def end_all(self) -> None:
        for listener in {listener for found in self._listeners.values() for listener in found}:
            listener.end()

    def stop(self) -> None:
        """End all listeners, since the process ends, and take no others."""
        self._is_closed = True
        self.end_all()

    async def close(self) -> None:
        """Stop, and end the feed."""
        self.stop()
        if self._task is not None:
            await end_task(self._task)


def _list_names(listener: Listener) -> frozenset[CollectionName]:
    return frozenset((listener.database, collection) for collection in listener.collections)


@asynccontextmanager
async def open_hub(store: Store, most: int, most_of_one: int) -> AsyncIterator[Hub]:
    """Yield a hub for the duration of the block."""
    hub = Hub(store, most, most_of_one)
    try:
        yield hub
    finally:
        await hub.close()
