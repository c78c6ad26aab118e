"""A set of names, of which only marks are stored: a file may have millions of names. Pure.

A mark is Python's hash of 64 bits with a key of the process. It costs a small uncertainty: that two of ten
million names share theirs is one chance in 400,000, and then one row is reported, not lost. The plain twin is
``set[str]``.
"""

from __future__ import annotations

from array import array
from typing import Final

_FIRST_SIZE: Final = 1024
_EMPTY: Final = 0
_ALL_BITS: Final = (1 << 64) - 1


class NameSet:
    """A set of texts: open addressing in one array, at most two thirds full."""

    def __init__(self) -> None:
        self._slots = array("Q", bytes(8 * _FIRST_SIZE))
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def add(self, name: str) -> bool:
        """Add a name. Return False when it was added before."""
        if 3 * self._count >= 2 * len(self._slots):
            self._grow()
        mark = hash(name) & _ALL_BITS or 1
        slots = self._slots
        at = mark & (len(slots) - 1)
        if slots[at] != _EMPTY:
            at = self._place(slots, mark)
            if slots[at] == mark:
                return False
        slots[at] = mark
        self._count += 1
        return True

    def __contains__(self, name: str) -> bool:
        mark = hash(name) & _ALL_BITS or 1
        return self._slots[self._place(self._slots, mark)] == mark

    def discard(self, name: str) -> None:
        """Take a name out again, if it is there; marks behind it move up, so that no search ends early."""
        mark, slots = hash(name) & _ALL_BITS or 1, self._slots
        hole, last = self._place(slots, mark), len(slots) - 1
        if slots[hole] == _EMPTY:
            return
        self._count -= 1
        at = hole
        while slots[at := (at + 1) & last] != _EMPTY:
            home = slots[at] & last
            if (at - home) & last >= (at - hole) & last:  # a search for it passes the hole
                slots[hole], hole = slots[at], at
        slots[hole] = _EMPTY

    @staticmethod
    def _place(slots: array[int], mark: int) -> int:
        last = len(slots) - 1
        at = mark & last
        while slots[at] not in (_EMPTY, mark):
            at = (at + 1) & last
        return at

    def _grow(self) -> None:
        wider = array("Q", bytes(16 * len(self._slots)))
        for mark in self._slots:
            if mark != _EMPTY:
                wider[self._place(wider, mark)] = mark
        self._slots = wider
