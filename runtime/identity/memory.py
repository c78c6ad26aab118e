"""What a process remembers of the store for some seconds, bounded; only what was found is kept.

The change stream (``storage.watching``) drops what was changed elsewhere within milliseconds. While it is
silent nobody can know what has changed, so nothing is believed for longer than a second then.
"""

import math
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from runtime.bounded_cache import BoundedCache

UNTOLD_SECONDS = 1.0
"""How old an answer of the store may be, when changes of it have not been reported."""


class _OfRecord(Protocol):
    @property
    def record_id(self) -> str: ...


K = TypeVar("K")
V = TypeVar("V")
R = TypeVar("R", bound=_OfRecord)


def unheard() -> float:
    """Return the silence of a stream that does not exist."""
    return math.inf


@dataclass(frozen=True, slots=True)
class Freshness:
    """How old what was read may be: ``seconds``, which ``clock`` counts.

    ``silence``: seconds since the change stream answered last (``Following.silence``).
    """

    seconds: float
    clock: Callable[[], float]
    silence: Callable[[], float] = unheard

    def holds(self, since: float) -> bool:
        """Whether what was read at a time can still be believed."""
        age = self.clock() - since
        return 0 <= age < self.seconds and (age < UNTOLD_SECONDS or self.silence() < UNTOLD_SECONDS)


class ShortMemory(Generic[K, V]):
    """Values by key, at most ``most`` of them."""

    def __init__(self, freshness: Freshness, most: int) -> None:
        self._freshness = freshness
        self._found: BoundedCache[K, tuple[float, V]] = BoundedCache(most)
        self._changes = 0

    async def get(self, key: K, load: Callable[[], Awaitable[V | None]]) -> V | None:
        """Return the result of ``load``, at most ``seconds`` old."""
        known = self._found.use(key)
        if known is not None and self._freshness.holds(known[0]):
            return known[1]
        asked, changes = self._freshness.clock(), self._changes
        found = await load()
        if found is None:
            self._drop(key)
        elif self._freshness.seconds > 0 and changes == self._changes:
            self._keep(key, (asked, found))
        return found

    def forget(self) -> None:
        """Ask for everything again; what is being read at this moment may be old already."""
        self._changes += 1
        self._found.clear()

    def _drop(self, key: K) -> None:
        if (dropped := self._found.pop(key, None)) is not None:
            self._release(key, dropped[1])

    def _keep(self, key: K, value: tuple[float, V]) -> None:
        self._drop(key)
        if (dropped := self._found.keep(key, value)) is not None:
            self._release(dropped[0], dropped[1][1])

    def _release(self, key: K, value: V) -> None:
        """Forget what is known about a value that was dropped."""


class RecordMemory(ShortMemory[K, R]):
    """A memory of values that each come from one record, and are dropped one at a time."""

    def __init__(self, freshness: Freshness, most: int) -> None:
        super().__init__(freshness, most)
        self._keys: dict[str, set[K]] = {}  # several where a realm was restored into another

    def forget(self) -> None:
        """Ask for everything again."""
        super().forget()
        self._keys.clear()

    def forget_key(self, key: K) -> None:
        """Ask for this one again."""
        self._changes += 1
        self._drop(key)

    def forget_record(self, database: str | None, record_id: str | None) -> None:
        """Forget everything that came from the record with this id; None for all records."""
        if record_id is None:
            self.forget()
            return
        self._changes += 1
        for key in tuple(self._keys.get(record_id, ())):
            self._drop(key)

    def _keep(self, key: K, value: tuple[float, R]) -> None:
        super()._keep(key, value)
        self._keys.setdefault(value[1].record_id, set()).add(key)

    def _release(self, key: K, value: R) -> None:
        keys = self._keys[value.record_id]
        keys.remove(key)
        if not keys:
            del self._keys[value.record_id]
