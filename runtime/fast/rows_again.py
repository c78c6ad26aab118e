"""Rows that came before, byte for byte: what was made of them is there already.

Many people look at the same page, and programs ask for it every few seconds. The store finds it each time,
within the caller's scope and without hidden fields; remembered is only what follows from the bytes of an
answer alone, so it cannot be out of date. Rows are remembered when they come for the second time: pages that
are read once take no room, and cost a hash.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from time import monotonic
from typing import Any, Final

Document = dict[str, Any]

LONGEST: Final = 256 * 1024
MOST_BYTES: Final = 1024 * 1024
"""Of the rows as the store sends them; decoded and as text they take some five times as much."""

OVERHEAD: Final = 256
"""Bytes that each answer counts for in addition to its rows: the objects around them take five times as much,
too, and many short pages must not fill the memory of the process."""

MOST_SECONDS: Final = 60.0
"""Rows that nobody asked for so long are forgotten, since their records may be gone."""

_MOST_MADE: Final = 8
_MOST_CAME: Final = 4096


class RowsAgain:
    """The rows of one answer, shared by all who get it: they are read, never changed."""

    __slots__ = ("_made", "rows", "used")

    def __init__(self, rows: list[Document]) -> None:
        self.rows = rows
        self.used = monotonic()
        self._made: dict[Hashable, Any] = {}

    def once(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """Return what ``make`` made for this key; a few are remembered."""
        if key not in self._made:
            if len(self._made) == _MOST_MADE:
                self._made.clear()
            self._made[key] = make()
        return self._made[key]


class RowMemory:
    """Rows by the bytes in which they came."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._rows: OrderedDict[bytes, RowsAgain] = OrderedDict()
        self._came: set[int] = set()
        self._lock = threading.Lock()

    def find(self, batch: Any) -> RowsAgain | None:
        """Return the rows that came in these bytes."""
        if len(batch) > LONGEST:
            return None
        with self._lock:  # "forget" walks through them in another thread
            found = self._rows.get(batch)
            if found is not None:
                found.used = monotonic()
                self._rows.move_to_end(batch)
        return found

    def keep(self, batch: Any, rows: list[Document]) -> RowsAgain | None:
        """Remember rows that come for the second time, and return them; None for those that are new."""
        if len(batch) > LONGEST:
            return None
        number = hash(batch)
        if number not in self._came:
            if len(self._came) == _MOST_CAME:
                self._came.clear()
            self._came.add(number)
            return None
        again = RowsAgain(rows)
        with self._lock:
            self._bytes += 0 if batch in self._rows else len(batch) + OVERHEAD
            self._rows[batch] = again
        self.forget()
        return again

    def forget(self) -> None:
        """Forget what nobody asked for, and what does not fit; from any thread."""
        longest_ago = monotonic() - MOST_SECONDS
        with self._lock:
            while self._rows:
                batch, oldest = next(iter(self._rows.items()))
                if self._bytes <= self._most_bytes and oldest.used > longest_ago:
                    return
                del self._rows[batch]
                self._bytes -= len(batch) + OVERHEAD


MEMORY: Final = RowMemory()
