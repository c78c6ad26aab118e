"""A limit on concurrent requests that follows the store, as TCP follows a network (RFC 5681).

What a store takes on beyond its capacity makes every command slower and none faster, until commands run into
their time limit and the work is lost. So the limit shrinks while commands take longer than the target. While
they do not and somebody has to wait it grows: twofold up to where it shrank last, by steps beyond. Unused, it
shrinks too, so that a burst of slow requests begins with few. It changes once a round: as many commands as
the limit allows, all begun since the last change, so that each change is seen to work before the next. Pure.
"""

from typing import Final, TypeAlias

_FIRST: Final = 4
_LEAST: Final = 2
"""However slow the store is: one slow request must not keep all others waiting."""


class FixedLimit:
    """A limit that stays as it is."""

    def __init__(self, value: int) -> None:
        self.value = value

    def note_shortage(self) -> None:
        """Do nothing: the limit is fixed."""


class AdaptiveLimit:
    """A limit between a few and ``most``. ``target_seconds``: how long a command of the store may take."""

    def __init__(self, most: int, *, target_seconds: float) -> None:
        self._most = self._threshold = most
        self._target = target_seconds
        self.value = min(_FIRST, most)
        self._start_round(0.0)

    def note_shortage(self) -> None:
        """Note that somebody has to wait."""
        self._is_short = True

    def record(self, began: float, ended: float, *, has_timed_out: bool = False) -> None:
        """Record the duration of one command, by the monotonic clock."""
        if began < self._since:  # it ran alongside more than are let in now
            return
        if has_timed_out:
            self._shrink(ended, 0.5)
            return
        self._number += 1
        self._seconds += ended - began
        self._slow += ended - began > self._target
        size = max(self.value, _FIRST)
        if self._number >= size or 2 * self._slow > size:
            self._end_round(ended)

    def _end_round(self, now: float) -> None:
        if not self._is_short:
            self._change(now, max(_FIRST, self.value - max(1, self.value // 8)))
        elif 2 * self._slow > self._number:
            self._shrink(now, min(0.9, max(0.5, self._target * self._number / self._seconds)))
        elif 10 * self._slow <= self._number:
            step = max(1, self.value // 8)
            doubled = min(2 * self.value, self._threshold)
            self._change(now, max(doubled, self.value + step))
        else:
            self._start_round(now)

    def _shrink(self, now: float, factor: float) -> None:
        self._change(now, max(_LEAST, int(self.value * factor)))
        self._threshold = self.value

    def _change(self, now: float, value: int) -> None:
        self.value = max(1, min(self._most, value))
        self._start_round(now)

    def _start_round(self, now: float) -> None:
        self._since = now
        self._number = self._slow = 0
        self._seconds = 0.0
        self._is_short = False


Limit: TypeAlias = AdaptiveLimit | FixedLimit
"""A limit on how many may be at work; ``note_shortage`` is called when a request has to wait."""
