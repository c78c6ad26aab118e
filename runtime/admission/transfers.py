"""A cap on concurrent long transfers: uploads, streamed responses, and streams of events.

They do not wait for each other, since each may last for as long as its sender or reader is slow.
"""

from collections.abc import Callable
from typing import Final

from runtime.errors import Overloaded

_TRANSFERS: Final = "imports, exports and progress streams"


class Transfers:
    """Counts transfers under way: at most ``most`` in all, ``most_of_one`` of one user."""

    def __init__(self, most: int, most_of_one: int, what: str = _TRANSFERS) -> None:
        self._what = what
        self._most = most
        self._most_of_one = most_of_one
        self._held: dict[str, int] = {}
        self._number = 0

    @property
    def number(self) -> int:
        """The number of those under way."""
        return self._number

    def begin(self, key: str) -> Callable[[], None]:
        """Count one more; return the function to call when it ends. Raises ``Overloaded``."""
        held = self._held.get(key, 0)
        if held >= self._most_of_one:
            raise Overloaded(
                f"you have {held} {self._what} open, the most for one user; try again when one has ended"
            )
        if self._number >= self._most:
            raise Overloaded(f"too many {self._what} are under way; try again shortly")
        self._held[key] = held + 1
        self._number += 1
        is_open = True

        def end() -> None:
            nonlocal is_open
            if is_open:
                is_open = False
                self._end(key)

        return end

    def _end(self, key: str) -> None:
        self._number -= 1
        held = self._held.pop(key) - 1
        if held:
            self._held[key] = held
