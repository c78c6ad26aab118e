"""Rows as the store sends them, decoded into what JSON has: ids, decimals and timestamps as text.

The driver's decoder creates an object for each of these, and the JSON library asks back for the text of each:
a third of what a row costs. The decoder is a module in C that looks up its classes once, when it is loaded.
So it is loaded a second time, with functions that return text in their place. Where that is not possible, and
for an answer that it cannot decode, rows are decoded as any others, and become text when they are sent.
"""

import struct
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime, timedelta
from functools import lru_cache
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType
from typing import Any, Final, TypeVar, cast

import bson
import bson.datetime_ms
import bson.decimal128
import bson.objectid
from bson import Decimal128, ObjectId
from bson.codec_options import CodecOptions, DatetimeConversion

from runtime.fast.decimals import format_bid
from runtime.fast.rows_again import LONGEST, MEMORY, RowsAgain

Document = dict[str, Any]
DocumentT = TypeVar("DocumentT", bound=Mapping[str, Any])
ValueT = TypeVar("ValueT")
Decode = Callable[[Any, CodecOptions[Any]], Document]

_EPOCH: Final = datetime(1970, 1, 1)
_MOST_TIMESTAMPS: Final = 4096
_IN_MILLISECONDS: Final[CodecOptions[Any]] = CodecOptions(datetime_conversion=DatetimeConversion.DATETIME_MS)
_SIZE: Final = struct.Struct("<i")
_HEAD: Final = struct.Struct("<i8si12s")
"""The beginning of an answer to a find: sizes, and behind them the names of cursor and first batch."""

_NAMES: Final = (b"\x03cursor\0", b"\x04firstBatch\0")
_NOTHING: Final = bson.encode({})
"""Also a list of nothing."""


class WireRows:
    """The rows of one answer; ``stored`` returns one of them as the store has it."""

    __slots__ = ("_again", "_answers", "_batch", "_rows")

    def __init__(self) -> None:
        self._batch: Any = b""  # as the store sent it
        self._rows: Sequence[Document] | None = None
        self._again: RowsAgain | None = None
        self._answers = 0

    def decode(self, answer: Any) -> Document | None:
        """Decode the answer to a find, whose rows are kept; None where it has to be decoded as any other."""
        self._rows = self._again = None
        batch = _find_batch(answer)
        if batch is None or _decode is None:
            return None
        again = MEMORY.find(batch)
        try:
            decoded = _decode(answer if again is None else _empty(answer, len(batch)), _IN_MILLISECONDS)
        except Exception:  # whatever it is, the driver's decoder reports it
            return None
        if not decoded.get("ok"):
            return None  # the driver compares what is in it
        cursor = decoded["cursor"]
        if again is None:
            again = MEMORY.keep(batch, cursor["firstBatch"])
        else:
            cursor["firstBatch"] = again.rows
        self._batch, self._rows, self._again = batch, cursor["firstBatch"], again
        self._answers += 1
        return decoded

    def once(self, key: Hashable, rows: Sequence[Document], make: Callable[[], ValueT]) -> ValueT | None:
        """Return what ``make`` makes of these rows and nothing else, made once; None for new rows.

        ``rows`` are some of those that were found, as they were found. None for those of several answers too:
        the memory is bounded by the size of each answer, and would hold the rows of the others with the last.
        """
        if self._again is None or self._answers > 1:
            return None
        objects = (key, *map(id, rows))  # while the rows are held, no others have their ids
        made: tuple[Any, ValueT] = self._again.once(objects, lambda: (rows, make()))
        return made[1]

    def stored(self, rows: Sequence[DocumentT], number: int) -> DocumentT:
        """Return the row with this number of those that were found."""
        if rows is not self._rows:  # decoded elsewhere, as any other
            return rows[number]
        if self._again is None:
            return cast(DocumentT, _decode_row(self._batch, number))
        return cast(DocumentT, self._again.once(number, lambda: _decode_row(self._batch, number)))


def _find_batch(answer: Any) -> Any | None:
    """Return the rows in the answer to a find, as they came; None for other answers."""
    if len(answer) < _HEAD.size + len(_NOTHING):
        return None
    _size, cursor, _size_of_cursor, first_batch = _HEAD.unpack_from(answer)
    if (cursor, first_batch) != _NAMES:
        return None
    batch = answer[_HEAD.size : _HEAD.size + _SIZE.unpack_from(answer, _HEAD.size)[0]]
    return bytes(batch) if len(batch) <= LONGEST else batch


def _empty(answer: Any, length: int) -> bytes:
    """Return the answer to a find without its rows, which are so many bytes."""
    size, cursor, size_of_cursor, first_batch = _HEAD.unpack_from(answer)
    less = length - len(_NOTHING)
    head = _HEAD.pack(size - less, cursor, size_of_cursor - less, first_batch)
    return b"".join((head, _NOTHING, answer[_HEAD.size + length :]))


def _decode_row(batch: Any, number: int) -> Document:
    at = _SIZE.size
    for before in range(number):
        at += _length_of_name(before)
        at += _SIZE.unpack_from(batch, at)[0]
    at += _length_of_name(number)
    return bson.decode(batch[at : at + _SIZE.unpack_from(batch, at)[0]])


def _length_of_name(number: int) -> int:
    """Return the bytes in front of an item of a list: its type, and its number as text that a zero ends."""
    return len(str(number)) + 2


@lru_cache(maxsize=_MOST_TIMESTAMPS)
def format_milliseconds(milliseconds: int) -> str:
    """Format milliseconds since 1970. Raises ``OverflowError`` outside the years 1 to 9999."""
    day, rest = divmod(milliseconds, 86_400_000)
    minute, rest = divmod(rest, 60_000)
    second, rest = divmod(rest, 1000)
    return f"{_format_day(day)}T{_MINUTES[minute]}:{second:02}.{rest:03}Z"


@lru_cache(maxsize=_MOST_TIMESTAMPS)
def _format_day(number: int) -> str:
    return (_EPOCH + timedelta(number)).date().isoformat()


_MINUTES: Final = tuple(f"{hour:02}:{minute:02}" for hour in range(24) for minute in range(60))
"""Those of a day."""


class _Decimals:
    """In place of the driver's class."""

    from_bid = staticmethod(format_bid)


def _load() -> Decode | None:
    """Load the driver's decoder a second time; None where that is not possible."""
    try:
        first = import_module("bson._cbson")
        spec: Any = spec_from_file_location(first.__name__, first.__file__)
        second = module_from_spec(spec)
        with ExitStack() as stack:
            for module, name, other in _IN_PLACE:
                stack.enter_context(_replace_name(module, name, other))
            spec.loader.exec_module(second)
        decode: Decode = second._bson_to_dict
        return decode if second is not first and decode(_ENCODED, _IN_MILLISECONDS) == _DECODED else None
    except (ImportError, AttributeError, TypeError):  # the driver was not compiled, or is another one
        return None


@contextmanager
def _replace_name(module: ModuleType, name: str, other: Any) -> Iterator[None]:
    before = getattr(module, name)
    setattr(module, name, other)
    try:
        yield
    finally:
        setattr(module, name, before)


_IN_PLACE: Final = (
    (bson.objectid, "ObjectId", bytes.hex),
    (bson.decimal128, "Decimal128", _Decimals),
    (bson.datetime_ms, "DatetimeMS", format_milliseconds),
)
_ENCODED: Final = bson.encode(
    {"id": ObjectId("65f000000000000000000001"), "number": Decimal128("1.50"), "at": _EPOCH, "text": "x"}
)
_DECODED: Final = {
    "id": "65f000000000000000000001", "number": "1.50", "at": "1970-01-01T00:00:00.000Z", "text": "x"
}  # fmt: skip

_decode: Final = _load()
