"""JSON text before it is parsed: how many values it has, how deep they are nested, and members sent twice.

A parser builds an object for every value, and the checks of a record visit all of them, so a body of two
bytes a value holds a worker for seconds. ``Measure`` counts values while the text arrives, with searches that
run in C over whole pieces: about 1 ms for each 500 KB. No parser that the service uses reports a repeated
member, so the one of the standard library reads the text once more for it, building nothing: 5 µs for 250
bytes.
"""

import json
import re
from typing import Any, Final

from pydantic_core import from_json

from runtime.errors import MalformedRequest, RepeatedMember, TooLarge
from runtime.model.finite import is_finite

MAX_DEPTH: Final = 64
"""Levels of nesting: twice those that a field of a record may have, so that it reports its own limit."""

MOST_IN_A_CELL: Final = 20_000
"""Values: as many as a record may be saved with by default, so that an export can be imported again."""

MOST_ESCAPES: Final = 2_000_000
"""Backslashes. A parser writes out a string in one go, and takes ten times as long over an escape as over a
character. As many bytes as a body may have hold fewer where every character is escaped, as in ``\\u00e9``."""

_LONGEST_NUMBER: Final = 300
"""Characters of a number without an exponent that is finite in any case."""

_EXPONENT: Final = re.compile(rb"\d[eE]")

_PIECE: Final = 64 * 1024
_STRINGS_OF_A_VALUE: Final = 2  # its name and itself
_NO_MARKS: Final = bytes(set(range(256)) - set(b'",[]{}'))


class Measure:
    """Counts the values of JSON text that arrives in pieces: members, items of lists, and what holds them.

    Text that is not JSON is counted somehow, never slower; the parser reports it.
    """

    def __init__(self, most_values: int) -> None:
        self.values = 1
        self._most = most_values
        self._quotes = self._depth = self._escapes = 0
        self._escape = b""

    def add(self, text: bytes | bytearray) -> None:
        """Count the next piece. Raises ``TooLarge`` and ``MalformedRequest`` for nesting."""
        for start in range(0, len(text), _PIECE):
            self._add(self._escape + text[start : start + _PIECE])

    def _add(self, text: bytes) -> None:
        # A sequence that starts with a backslash is looked at whole: its second half may be a quote.
        is_cut = (len(text) - len(text.rstrip(b"\\"))) % 2 == 1
        self._escape = b"\\" if is_cut else b""
        if escapes := text.count(b"\\") - len(self._escape):
            self._escapes += escapes
            self._check_escapes()
            text = text.removesuffix(self._escape).replace(b"\\\\", b"").replace(b'\\"', b"")
        marks = text.translate(None, _NO_MARKS)
        outside = self._cut_strings_out(marks)
        self._check_depth(outside.translate(None, b","))
        self.values += outside.count(b",") + outside.count(b"[") + outside.count(b"{")
        self._check_count(self.values)

    def _cut_strings_out(self, marks: bytes) -> bytes:
        starts_inside = self._quotes % 2
        self._quotes += marks.count(b'"')
        self._check_count(self._quotes // 2 // _STRINGS_OF_A_VALUE)
        return b"".join(marks.split(b'"')[starts_inside::2])

    def _check_count(self, values: int) -> None:
        if values > self._most:
            message = (
                f"the JSON has more than {self._most} values (members and list items): send fewer at once"
            )
            raise TooLarge(message)

    def _check_escapes(self) -> None:
        if self._escapes > MOST_ESCAPES:
            message = (
                f"the JSON has more than {MOST_ESCAPES} backslashes: send characters as they are, in UTF-8"
            )
            raise TooLarge(message)

    def _check_depth(self, brackets: bytes) -> None:
        for sign in brackets:
            self._depth += 1 if sign in b"[{" else -1
            if self._depth > MAX_DEPTH:
                raise MalformedRequest(f"the JSON is nested deeper than {MAX_DEPTH} levels")
            if self._depth < 0:  # the parser stops there, so the rest is not counted
                return


def require_measure(text: bytes | bytearray, most_values: int) -> None:
    """Check a whole text, at no cost where it is short and flat. Raises what ``Measure.add`` raises."""
    brackets = text.count(b"[") + text.count(b"{")
    if len(text) > most_values or brackets > MAX_DEPTH:
        Measure(most_values).add(text)


def holds_more_values(value: object, most: int) -> bool:
    """Whether parsed JSON has more than ``most`` members and list items, at any depth."""
    count, waiting = 0, [value]
    while waiting and count <= most:
        inner = waiting.pop()
        if isinstance(inner, dict | list):
            count += len(inner)
            waiting += inner.values() if isinstance(inner, dict) else inner
    return count > most


def require_distinct(text: bytes) -> None:
    """Raise ``RepeatedMember`` for an object that has a member twice. Its parser reports what is not JSON."""
    if text.count(b":") < 2:
        return
    try:
        _DISTINCT.decode(text.decode())
    except _Repeated as error:
        name = str(error)[:200]
        message = f'the member "{name}" was sent more than once in one object: send it once'
        raise RepeatedMember(message, member=name) from None
    except (ValueError, RecursionError):
        return


class UnfitJson(ValueError):
    """JSON that is not taken; the message says what would be right."""


def read_cell_json(text: str) -> Any:
    """Parse the JSON of a cell of a file. Raises ``UnfitJson``, ``ValueError`` for what is not JSON."""
    written = text.encode()
    try:
        require_measure(written, MOST_IN_A_CELL)
        require_distinct(written)
    except TooLarge:
        raise UnfitJson(f"of at most {MOST_IN_A_CELL} values") from None
    except MalformedRequest:
        raise UnfitJson(f"nested at most {MAX_DEPTH} levels deep") from None
    except RepeatedMember:
        raise UnfitJson("with each member once") from None
    value = from_json(written, allow_inf_nan=False)  # which reads 1e400 as infinity
    may_overflow = len(written) > _LONGEST_NUMBER or _EXPONENT.search(written) is not None
    if may_overflow and not is_finite(value):
        raise UnfitJson("with finite numbers")
    return value


class _Repeated(ValueError):
    """The name is the message."""


def _refuse_repeated(members: list[tuple[str, Any]]) -> None:
    if len(dict(members)) < len(members):
        seen: set[str] = set()
        for name, _value in members:
            if name in seen:
                raise _Repeated(name)
            seen.add(name)


# ``len`` in place of reading numbers: long ones take time, and none is looked at.
_DISTINCT = json.JSONDecoder(
    object_pairs_hook=_refuse_repeated, parse_int=len, parse_float=len, parse_constant=len
)
