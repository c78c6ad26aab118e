"""Replacing what a regular expression of a profile matches in a cell.

RE2 finds one match in linear time. But each search may read the rest of the cell again, and the library
creates Python objects for each match. So the matches in a cell are limited, the length of a cell together
with the size of the pattern, and the processor time of a row. A cell is searched as bytes, since in a text
the library would also convert the position of each match. Other threads run while RE2 searches: this is work
for a thread (``runtime.aside``).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from math import inf
from operator import sub
from time import thread_time
from typing import Any, Final

from runtime.model.replacements import parse_replacement

MOST_ADDED: Final = 2**16
"""Bytes by which replacements may make a cell longer, and characters by which all transformations may make a
row longer. So a file of short rows stays one: its rows are read and decided many at a time."""
MOST_MATCHES: Final = 50_000
"""Matches in one cell."""
MOST_STEPS: Final = 500_000_000
"""Bytes of a cell times instructions of the pattern: what the slowest of RE2's ways takes for one search."""
MOST_SECONDS: Final = 5.0
"""Processor time of all the regular expressions of a row."""

_deadline: ContextVar[float] = ContextVar("replacements", default=inf)


class NotReplaced(ValueError):
    """A cell that is too much for its regular expression. The message continues ``the regex …``."""


@contextmanager
def limit_replacements() -> Iterator[None]:
    """Limit the processor time of the replacements of one row, all in this thread."""
    token = _deadline.set(thread_time() + MOST_SECONDS)
    try:
        yield
    finally:
        _deadline.reset(token)


@dataclass(frozen=True, slots=True)
class Replacement:
    """``pattern`` is compiled by RE2; ``parts`` of the replacement are text or the number of a group."""

    pattern: Any
    parts: tuple[bytes | int, ...]

    def apply(self, text: str) -> str:
        """Replace every match. Raises ``NotReplaced``."""
        try:
            whole = text.encode()
        except UnicodeEncodeError:
            raise NotReplaced("cannot read it") from None
        _require_time()
        if len(whole) * self.pattern.programsize > MOST_STEPS:
            raise NotReplaced("takes too long for a cell of this length")
        pieces, end, left = list[bytes](), 0, len(whole) + MOST_ADDED
        for found in self._find(whole):
            start, stop = found.span()
            left -= start - end + self._measure(found)
            _require_room(left)
            pieces += (whole[end:start], *self._write(found))
            end = stop
        _require_room(left - (len(whole) - end))
        try:
            return b"".join((*pieces, whole[end:])).decode()
        except UnicodeDecodeError:  # \C matches a part of a character
            raise NotReplaced("takes a character apart") from None

    def _find(self, whole: bytes) -> Iterator[Any]:
        """Yield the matches. Raises ``NotReplaced``."""
        count, before = 0, (-1, -1)
        for found in self.pattern.finditer(whole):
            start, stop = found.span()
            if start == stop and _is_inside_character(whole, start):
                continue
            if before == (start, stop):  # the library finds an empty match again where it goes on
                continue
            before = start, stop
            count += 1
            if count > MOST_MATCHES:
                raise NotReplaced(f"matches more than {MOST_MATCHES} times in it")
            yield found
            _require_time()

    def _measure(self, found: Any) -> int:
        """Return the bytes of what replaces a match, before it is written: a group may be the whole cell."""
        sizes = (len(one) if isinstance(one, bytes) else -sub(*found.span(one)) for one in self.parts)
        return sum(sizes)

    def _write(self, found: Any) -> Iterator[bytes]:
        for part in self.parts:
            yield part if isinstance(part, bytes) else found.group(part) or b""


def _require_room(left: int) -> None:
    """Require that the cell may get as long. Raises ``NotReplaced``."""
    if left < 0:
        raise NotReplaced(f"makes it more than {MOST_ADDED} bytes longer")


def _require_time() -> None:
    """Require that the row has processor time left. Raises ``NotReplaced``."""
    if thread_time() > _deadline.get():
        raise NotReplaced("takes too long for the cells of this row")


def _is_inside_character(whole: bytes, at: int) -> bool:
    """Return whether a position is between the bytes of one character of UTF-8."""
    return at < len(whole) and whole[at] & 0xC0 == 0x80


def replacement(pattern: str, text: str | None = None) -> Replacement:
    """Compile a replacement. Raises ``ValueError`` with the reason for one that cannot be used."""
    return Replacement(*parse_replacement(pattern, text))
