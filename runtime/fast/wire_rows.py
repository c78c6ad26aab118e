"""Rows as the store sends them, decoded into what JSON has: ids, decimals and timestamps as text.

The driver's decoder creates an object for each of these, and the JSON library asks back for the text of each:
a third of what a row costs. The decoder is a module in C that looks up its classes once, when it is loaded.
So it is loaded a second time, with functions that return text in their place. Where that is not possible, and
for an answer that it cannot decode, rows are decoded as any others, and become text when they are sent.
"""

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
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

Document = dict[str, Any]
DocumentT = TypeVar("DocumentT", bound=Mapping[str, Any])
Decode = Callable[[Any, CodecOptions[Any]], Document]

_EPOCH: Final = datetime(1970, 1, 1)
_MOST_TIMESTAMPS: Final = 4096
_IN_MILLISECONDS: Final[CodecOptions[Any]] = CodecOptions(datetime_conversion=DatetimeConversion.DATETIME_MS)
_SIZE: Final = struct.Struct("<i")
_HEAD: Final = struct.Struct("<4x8s4x12s4x")
"""The beginning of an answer to a find: sizes, and between them the names of cursor and first batch."""

_NAMES: Final = (b"\x03cursor\0", b"\x04firstBatch\0")


class WireRows:
    """The rows of one answer; ``stored`` returns one of them as the store has it."""

    __slots__ = ("_answer", "_rows")

    def __init__(self) -> None:
        self._answer: Any = b""
        self._rows: Sequence[Document] | None = None

    def decode(self, answer: Any) -> Document | None:
        """Decode the answer to a find, which is kept; None where it has to be decoded as any other."""
        self._rows = None
        if _decode is None or len(answer) < _HEAD.size or _HEAD.unpack_from(answer) != _NAMES:
            return None
        try:
            decoded = _decode(answer, _IN_MILLISECONDS)
        except Exception:  # whatever it is, the driver's decoder reports it
            return None
        if not decoded.get("ok"):
            return None  # the driver compares what is in it
        self._answer, self._rows = answer, decoded["cursor"]["firstBatch"]
        return decoded

    def stored(self, rows: Sequence[DocumentT], number: int) -> DocumentT:
        """Return the row with this number of those that were found."""
        if rows is not self._rows:  # decoded elsewhere, as any other
            return rows[number]
        at = _HEAD.size
        for before in range(number):
            at += _length_of_name(before)
            at += _SIZE.unpack_from(self._answer, at)[0]
        at += _length_of_name(number)
        row: Any = bson.decode(self._answer[at : at + _SIZE.unpack_from(self._answer, at)[0]])
        return cast(DocumentT, row)


def _length_of_name(number: int) -> int:
    """Return the bytes in front of an item of a list: its type, and its number as text that a zero ends."""
    return len(str(number)) + 2


@lru_cache(maxsize=_MOST_TIMESTAMPS)
def format_milliseconds(milliseconds: int) -> str:
    """Format milliseconds since 1970. Raises ``OverflowError`` outside the years 1 to 9999."""
    return f"{(_EPOCH + timedelta(milliseconds=milliseconds)).isoformat(timespec='milliseconds')}Z"


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
                stack.enter_context(_replaced(module, name, other))
            spec.loader.exec_module(second)
        decode: Decode = second._bson_to_dict
        return decode if second is not first and decode(_ENCODED, _IN_MILLISECONDS) == _DECODED else None
    except (ImportError, AttributeError, TypeError):  # the driver was not compiled, or is another one
        return None


@contextmanager
def _replaced(module: ModuleType, name: str, other: Any) -> Iterator[None]:
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
