"""A gate with a fair queue: a limited amount of work at once, and a short wait for the rest.

Requests that cannot enter wait in a queue of their own key (the user, or the address of an unauthenticated
caller), and the queues take turns; so a flood from one does not keep the others out. One key has at most
three quarters of the places, and so has a group of keys (a tenant) unless it is alone. A wait ends at a
deadline, and does not begin where the queue is known to be too long for it: then ``Overloaded`` is raised at
once, unless there is a flood of refusals. Without contention it costs a few dictionary operations.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import TracebackType
from typing import Final

from runtime.admission.limit import Limit
from runtime.admission.queues import Queues, Waiter
from runtime.admission.retry import Retries
from runtime.errors import Overloaded
from runtime.logs import log

_LOG_SECONDS: Final = 1.0
_WEIGHT: Final = 0.2
"""Weight of the last one in the running mean of how long a place is held."""

_LEAST_MEAN: Final = 0.001
"""Lower bound of the seconds a place is held, to estimate how many are served in a second."""

_REFUSALS_PER_SECOND: Final = 200
_BURST_SECONDS: Final = 0.25
"""So many seconds' refusals are sent at once; what exceeds the rate is held back, up to the longest wait."""


class Gate:
    """A gate for one event loop.

    ``name`` is for the log; ``seconds``: the longest wait; ``held_seconds``: about how long a place is held,
    where that is known before the first flood.
    """

    def __init__(self, name: str, limit: Limit, seconds: float, held_seconds: float = 0.0) -> None:
        self._name = name
        self._limit = limit
        self._longest = seconds
        self._taken = 0
        self._queues = Queues()
        self._mean = held_seconds
        self._paced = 0.0
        self._refused = 0
        self._logged_at = -_LOG_SECONDS
        self._retries = Retries()

    @property
    def taken(self) -> int:
        """The number of places that are taken."""
        return self._taken

    @property
    def waiting(self) -> int:
        """The number of those who wait for a place."""
        return self._queues.count_waiting()

    def turn(self, key: str) -> Turn:
        """Create a turn of this key, to be entered."""
        return Turn(self, key)

    def try_enter(self, key: str) -> bool:
        """Take a place if one is free, and nobody who may have it waits."""
        if self._queues.waiting:
            self._let_in()
        taken, most = self._taken, self._most_of_one
        if taken >= self._limit.value:
            return False
        if taken >= most and not self._queues.may_enter(key, most):
            return False
        self.enter(key)
        return True

    def enter(self, key: str) -> None:
        """Take a place, free or not."""
        self._taken += 1
        self._queues.enter(key)

    async def wait(self, key: str, *, is_patient: bool = False) -> None:
        """Take a place when it is this key's turn. Raises ``Overloaded``, unless the wait is patient."""
        self._limit.note_shortage()
        if not is_patient and self._expected_wait(key) > self._longest:
            await self._hold_back()
            raise self._build_refusal()
        loop = asyncio.get_running_loop()
        waiter: Waiter = loop.create_future()
        self._queues.add(key, waiter)
        timer = None if is_patient else loop.call_later(self._longest, self._give_up, key, waiter)
        try:
            await waiter
        except asyncio.CancelledError:
            if waiter.cancelled():
                self._queues.remove(key, waiter)
            else:  # let in, or refused, in this very moment
                if waiter.exception() is None:
                    self.leave(key, 0.0)
            raise
        finally:
            if timer is not None:
                timer.cancel()

    def leave(self, key: str, seconds: float) -> None:
        """Give a place back that was held for so long."""
        self._taken -= 1
        self._mean += _WEIGHT * (seconds - self._mean)
        self._queues.leave(key)
        if self._queues.waiting:
            self._let_in()

    @property
    def _most_of_one(self) -> int:
        return self._limit.value - self._limit.value // 4

    def _let_in(self) -> None:
        while self._taken < self._limit.value and (found := self._queues.take_next(self._most_of_one)):
            key, waiter = found
            self.enter(key)
            waiter.set_result(None)

    async def _hold_back(self) -> None:
        """Pace a flood of refusals.

        Callers that ask again at once must not take the worker's time from those that are served.
        """
        now = time.monotonic()
        self._paced = max(self._paced, now) + 1 / _REFUSALS_PER_SECOND
        pause = min(self._paced - now - _BURST_SECONDS, self._longest)
        if pause > 0:
            self._paced = min(self._paced, now + _BURST_SECONDS + self._longest)
            await asyncio.sleep(pause)

    def _expected_wait(self, key: str) -> float:
        """Estimate the wait from how long places were held recently; the queues take turns."""
        turns, is_alone = self._queues.count_turns(key, self._most_of_one)
        return turns * self._mean / (self._most_of_one if is_alone else self._limit.value)

    def _give_up(self, key: str, waiter: Waiter) -> None:
        if not waiter.done():
            self._queues.remove(key, waiter)
            waiter.set_exception(self._build_refusal())

    def _build_refusal(self) -> Overloaded:
        """Create the error and log it, at most once a second, however many are refused."""
        self._refused += 1
        now = time.monotonic()
        if now - self._logged_at >= _LOG_SECONDS:
            limit, waiting = self._limit.value, self.waiting
            log.warning("overloaded", gate=self._name, refused=self._refused, limit=limit, waiting=waiting)
            self._logged_at, self._refused = now, 0
        seconds = self._retries.refuse(now, self._limit.value / max(self._mean, _LEAST_MEAN))
        return Overloaded("the service is overloaded; try again shortly", retryAfter=seconds)


class Turn:
    """One place behind a gate, for the duration of the block or until it is given back.

    Without a gate it is free. Do not enter it inside of itself.
    """

    __slots__ = ("_gate", "_is_patient", "_since", "_was_given_back", "key")

    def __init__(self, gate: Gate | None = None, key: str = "", *, is_patient: bool = False) -> None:
        self._gate = gate
        self.key = key
        self._is_patient = is_patient
        self._since: float | None = None
        self._was_given_back = False

    async def __aenter__(self) -> None:
        gate = self._gate
        if gate is None:
            return
        if not gate.try_enter(self.key):
            await gate.wait(self.key, is_patient=self._is_patient)
        self._since = time.monotonic()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.give_back()

    def give_back(self) -> None:
        """End the turn early: what follows is long, and not work for what the gate protects."""
        if self._gate is not None and self._since is not None:
            seconds, self._since = time.monotonic() - self._since, None
            self._was_given_back = True
            self._gate.leave(self.key, seconds)

    def take_back(self) -> None:
        """Continue after ``give_back``, if that was called.

        Never waits, and may exceed the limit by one: the caller may hold what those inside wait for.
        """
        if self._gate is not None and self._was_given_back:
            self._gate.enter(self.key)
            self._since, self._was_given_back = time.monotonic(), False

    @asynccontextmanager
    async def pause(self) -> AsyncIterator[None]:
        """Give the turn back during the block, which waits elsewhere, and queue for it again afterwards.

        Raises ``Overloaded`` at its end; a block that raises ends the turn.
        """
        self.give_back()
        yield
        if self._was_given_back:
            self._was_given_back = False
            await self.__aenter__()

    def another(self) -> Turn:
        """Create a turn for a part of admitted work; it waits for as long as it takes."""
        return Turn(self._gate, self.key, is_patient=True)
