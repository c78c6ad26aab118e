"""What a process remembers of the store for some seconds, bounded; only what was found is kept."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class ShortMemory(Generic[K, V]):
    """Values by key, believed for ``seconds`` and at most ``most`` of them. ``clock`` counts seconds."""

    def __init__(self, seconds: float, clock: Callable[[], float], most: int) -> None:
        self._seconds = seconds
        self._clock = clock
        self._most = most
        self._found: OrderedDict[K, tuple[float, V]] = OrderedDict()
        self._changes = 0

    async def get(self, key: K, load: Callable[[], Awaitable[V | None]]) -> V | None:
        """What ``load`` says now, or said at most ``seconds`` ago."""
        known = self._found.get(key)
        if known is not None and 0 <= self._clock() - known[0] < self._seconds:
            self._found.move_to_end(key)
            return known[1]
        asked, changes = self._clock(), self._changes
        found = await load()
        if found is None:
            self._found.pop(key, None)
        elif self._seconds > 0 and changes == self._changes:
            self._keep(key, (asked, found))
        return found

    def forget(self) -> None:
        """Ask for everything again; what is being read at this moment may be old already."""
        self._changes += 1
        self._found.clear()

    def _keep(self, key: K, value: tuple[float, V]) -> None:
        self._found[key] = value
        self._found.move_to_end(key)
        if len(self._found) > self._most:
            self._found.popitem(last=False)
