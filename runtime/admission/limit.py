"""A limit on concurrent requests that follows the store: additive increase, multiplicative decrease.

What a store takes on beyond its capacity makes every command slower and none faster, until commands run into
their time limit and the work is lost. So the limit shrinks while commands take longer than the target, and
grows while they do not and somebody has to wait. It changes once a round: as many commands as the limit
allows, all begun since the last change, so that each change is seen to work before the next. Pure.
"""

from __future__ import annotations

from typing import Final, Protocol

_LEAST: Final = 4
"""However slow the store is: a few slow requests must not keep all others waiting."""

_LEAST_AFTER_TIMEOUT: Final = 2
_FIRST: Final = 16
_SMALLEST_ROUND: Final = 8


class Limit(Protocol):
    """How many may be at work; ``note_shortage`` is called when one more would have been."""

    @property
    def value(self) -> int: ...
    def note_shortage(self) -> None: ...


class FixedLimit:
    """A limit that stays as it is."""

    def __init__(self, value: int) -> None:
        self.value = value

    def note_shortage(self) -> None:
        """Nothing follows from it."""


class AdaptiveLimit:
    """``most``: the cap. ``target_seconds``: what a command of the store may take."""

    def __init__(self, most: int, *, target_seconds: float) -> None:
        self._most = most
        self._target = target_seconds
        self.value = min(_FIRST, most)
        self._start_round(0.0)

    def note_shortage(self) -> None:
        """Somebody has to wait. A limit that nobody runs into stays as it is."""
        self._is_short = True

    def record(self, began: float, ended: float, *, has_timed_out: bool = False) -> None:
        """Take note of one command, by the monotonic clock."""
        if began < self._since:  # it ran beside more than are let in now
            return
        if has_timed_out:
            self._change(ended, max(_LEAST_AFTER_TIMEOUT, self.value // 2))
            return
        self._number += 1
        self._seconds += ended - began
        self._slow += ended - began > self._target
        if self._number >= max(self.value, _SMALLEST_ROUND):
            self._end_round(ended)

    def _end_round(self, now: float) -> None:
        if not self._is_short:
            self._change(now, self.value)
        elif 2 * self._slow > self._number:
            mean = self._seconds / self._number
            shrunk = int(self.value * min(0.9, max(0.5, self._target / mean)))
            self._change(now, max(min(_LEAST, self.value), shrunk))
        elif 10 * self._slow <= self._number:
            self._change(now, self.value + max(1, self.value // 8))
        else:
            self._change(now, self.value)

    def _change(self, now: float, value: int) -> None:
        self.value = max(1, min(self._most, value))
        self._start_round(now)

    def _start_round(self, now: float) -> None:
        self._since = now
        self._number = self._slow = 0
        self._seconds = 0.0
        self._is_short = False
