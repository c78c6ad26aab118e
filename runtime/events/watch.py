"""One watcher: what it may see, and what waits to be sent to it.

The hub passes it each write. What it makes of one is bytes, which wait until its reader takes them; where too
many wait, it takes no more, and its stream ends behind them. Its reader goes on after the last event it got.
"""

import asyncio
from abc import ABC, abstractmethod
from functools import partial
from typing import Final

from runtime.access.reopening import adopt_rights
from runtime.aside import run_long
from runtime.call import Call
from runtime.errors import ServiceError
from runtime.events.places import Places
from runtime.events.rights import AGAIN_SECONDS, FRESH_SECONDS, Keeper, find_keeper
from runtime.filter import MOST_AT_ONCE
from runtime.server_sent import render_comment
from runtime.storage.store import Place, Written

MOST_WAITING: Final = 256 * 2**10
"""Bytes that wait for one reader, unless a single event has more."""

MOST_SECONDS: Final = 1.0
"""How long the decisions on one write for all watchers may take that are not made at once."""

TOO_COSTLY: Final = render_comment("the filter takes long for a large record: connect again")
TOO_SLOW: Final = render_comment("too slow: connect again")
CHANGED: Final = render_comment("access has changed: connect again")


class Watch(ABC):
    """A subclass renders writes (``render``), and works out what it needs for that (``enter``)."""

    __slots__ = (
        *("_behind", "_is_due", "_keeper", "_known", "_loop", "_opened", "_size", "_waiting"),
        *("_wake", "call", "collections", "database", "is_gone", "is_over", "places", "since"),
    )

    def __init__(self, call: Call, collections: frozenset[str], stream: str) -> None:
        self.call = call
        self.database = call.database
        self.collections = collections
        self.places = Places(call.service.tokens, f"{call.database} {stream}")
        self.is_over = self.is_gone = self._is_due = False
        self._behind: Place | None = None
        self._known: Place | None = None
        self._waiting: list[bytes] = []
        self._size = 0
        self._loop = asyncio.get_running_loop()
        self._wake: asyncio.Future[None] | None = None
        self.since = self._loop.time()
        self._opened: Call | None = None
        self._keeper: Keeper | None = None

    @abstractmethod
    async def enter(self, call: Call) -> None:
        """Work out what the caller may see, at first and when rights change. Raises ``ServiceError``."""

    @abstractmethod
    def render(self, written: Written) -> bytes | None:
        """Return the event of a write, None where there is none; call ``end`` behind the last event."""

    def estimate(self, written: Written) -> float:
        """Estimate the seconds that ``decide`` takes at most. A subclass whose watchers filter has both."""
        return 0.0

    def decide(self, written: Written) -> object:
        """Work out what ``render`` needs of a write."""
        return None

    async def prepare(self, written: Written) -> None:
        """Decide on a write aside where that takes long.

        The stream ends where all such decisions on it take too long, since the next writes of all wait for
        them: connected again, it reads that write apart from the others.
        """
        seconds = 0.0 if self.is_over else self.estimate(written)
        if seconds <= MOST_AT_ONCE:
            return
        if written.spend(seconds) > MOST_SECONDS:
            self._waiting.append(TOO_COSTLY)
            self.end()
        else:
            await run_long(partial(self.decide, written))

    async def prepare_missed(self, written: Written) -> None:
        """Decide on a write that only this watcher reads."""
        if self.estimate(written) > MOST_AT_ONCE:
            await run_long(partial(self.decide, written))

    def take(self, written: Written) -> None:
        """Take a write that the hub passes on. A write that cannot be shown ends the stream."""
        if self.is_over or (self._behind is not None and written.place <= self._behind):
            return
        piece = self.render(written) if written.is_whole else None
        if not written.is_whole:
            self.end()
        elif piece is not None:
            if self._size and self._size + len(piece) > MOST_WAITING:
                self._waiting.append(TOO_SLOW)
                self.end()
            else:
                self._waiting.append(piece)
                self._size += len(piece)
        self._rouse()

    def start_behind(self, place: Place) -> None:
        """Take only what is written behind a place. Call it first: the hub may be further back."""
        self._behind = self._known = place

    def end(self) -> None:
        """Send what waits, and nothing after it."""
        self.is_over = True
        self._rouse()

    def drop(self) -> None:
        """Send nothing more: the reader has gone."""
        self.is_gone = True
        if self._keeper is not None:
            self._keeper.leave(self)
        self.end_at_once()

    def end_at_once(self) -> None:
        """Send nothing of what waits, and take nothing more: the past has the last event."""
        self._waiting.clear()
        self.end()

    def name_event(self, place: Place) -> str:
        if self._known is None or place > self._known:  # the hub may be ahead of what was missed
            self._known = place
        return self.places.write(place)

    def name_place(self, place: Place) -> str:
        """Return the id of a place up to which all is sent, be it a write of others.

        It says when, and nothing of the write: that may be of another tenant.
        """
        start = place.start_of_time
        return self.places.write(start if self._known is None else max(self._known, start))

    def collect(self) -> bytes:
        """Return all that waits."""
        pieces, self._waiting, self._size = self._waiting, [], 0
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    async def wait(self, seconds: float) -> None:
        """Wait until something is to be sent, the watch is over, or the time is."""
        if self._waiting or self.is_over or self._is_due or seconds <= 0:
            return
        self._wake = self._loop.create_future()
        timer = self._loop.call_later(seconds, self._rouse)
        try:
            await self._wake
        finally:
            timer.cancel()
            self._wake = None

    def _rouse(self) -> None:
        if self._wake is not None and not self._wake.done():
            self._wake.set_result(None)

    def begin(self) -> None:
        """Have rights looked at from now on, until the watch is dropped."""
        self._keeper = find_keeper(self.call)
        if self._keeper is not None:
            self._keeper.join(self)

    def look_again(self) -> None:
        """Compare rights with those of the last look, since they may have changed."""
        self._is_due = True
        self._rouse()

    async def keep_rights(self) -> None:
        """Adopt the rights of the last look. Waits for a store that cannot say what they are.

        What waits was rendered with the rights before: where these have changed, it is dropped, and the
        stream ends. A reader that was slow to take it gets it again, as it may see it now.

        Raises ``AccessError`` when the caller may not watch any more, ``NotFound`` when what it watches is
        out of its reach.
        """
        while not self.is_gone and self._keeper is not None:
            opened = self._keeper.find_opened(self.since)
            if opened is not None:
                self._is_due = False
                if opened is self._opened or await self._apply_rights(opened):
                    return
            elif self._loop.time() - self.since <= FRESH_SECONDS:
                return
            else:
                await self._keeper.await_look()

    async def _apply_rights(self, opened: Call) -> bool:
        """Adopt rights; return whether the store could say what may be seen with them."""
        try:
            call = adopt_rights(self.call, opened, "the stream began: connect again")
            if call is not self.call:
                await self.enter(call)
                self.call = call
                if self._waiting:
                    self._waiting, self._size = [CHANGED], 0
                    self.end()
        except ServiceError as error:
            if error.status < 500:
                raise
            await asyncio.sleep(AGAIN_SECONDS)
            return False
        self._opened = opened
        return True
