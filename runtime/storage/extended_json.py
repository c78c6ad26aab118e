"""Stored documents as lines of extended JSON, and back to the same bytes.

It is the canonical form but for integers of 32 bits, which are plain numbers as in the relaxed one: they are
the most common values, and a document for each of them took a sixth of the time that records take.

BSON is decoded and encoded again in C, and only what comes out as it went in is written as JSON; anything
else (deprecated types, NaNs with a payload, names that begin with ``$``) becomes
``{"$recordsmithBson": base64}``. So each line leads back to the bytes it was made of, at the cost of one more
encoding per document.
"""

import base64
import re
import struct
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final

import bson
import orjson
from bson import Binary, DatetimeMS, Decimal128, Int64, MaxKey, MinKey, ObjectId, Timestamp
from bson.codec_options import CodecOptions, DatetimeConversion, TypeDecoder, TypeRegistry
from bson.errors import BSONError

Document = dict[str, Any]

_AS_BYTES: Final = "$recordsmithBson"
_NAMED_AS_OPERATOR: Final = re.compile(rb"[\x01-\x13\x7f\xff]\$")
_NAN: Final = struct.pack("<d", float("nan"))
_FLAGS: Final = orjson.OPT_PASSTHROUGH_SUBCLASS | orjson.OPT_PASSTHROUGH_DATETIME
_TEXTS: Final = {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}


class NotRestorable(ValueError):
    """A line that is not a document in extended JSON."""


class _Inexact(Exception):
    """A value that its JSON would not lead back to."""


class _Double(float):
    """A number that is stored as one, whole or not."""


def _build_decoder(kind: type, convert: type) -> TypeDecoder:
    """Build a decoder whose conversion is called from C, without a frame of Python's in between."""
    members = {"bson_type": kind, "transform_bson": staticmethod(convert)}
    decoder: TypeDecoder = type("_Decoder", (TypeDecoder,), members)()
    return decoder


_OPTIONS: Final[CodecOptions[Document]] = CodecOptions(
    document_class=dict,
    type_registry=TypeRegistry([_build_decoder(float, _Double)]),
    datetime_conversion=DatetimeConversion.DATETIME_MS,
)

_LENIENT: Final[CodecOptions[Document]] = CodecOptions(
    document_class=dict,
    datetime_conversion=DatetimeConversion.DATETIME_MS,
    unicode_decode_error_handler="replace",
)
"""For what is stored, whatever it is."""


def split_documents(batch: bytes) -> list[bytes]:
    """Split what the store sent into its documents."""
    found, place = [], 0
    while place < len(batch):
        size = int.from_bytes(batch[place : place + 4], "little")
        found.append(batch[place : place + size])
        place += size
    return found


def render_lines(batch: bytes) -> tuple[bytes, int]:
    """Write stored documents as lines, each with its line feed; return them and their number."""
    lines = [_render_line(one) for one in split_documents(batch)]
    return b"\n".join([*lines, b""]), len(lines)


def parse_lines(lines: bytes) -> list[bytes]:
    """Read lines back as stored documents. Raises ``NotRestorable``."""
    return [_parse_line(line) for line in lines.split(b"\n") if line]


def change_document(stored: bytes, change: Callable[[Document], None]) -> bytes:
    """Return a stored document after ``change``; every value that it leaves alone keeps its type."""
    document = bson.decode(stored, _OPTIONS)
    change(document)
    return bson.encode(document)


def read_document(stored: bytes) -> Document:
    """Decode a stored document, whatever it has."""
    return bson.decode(stored, _LENIENT)


class _Once(dict[str, Any]):
    """A document in which each name comes once."""

    def __setitem__(self, name: str, value: Any) -> None:
        if name in self:
            raise _Inexact
        super().__setitem__(name, value)


def is_unambiguous(stored: bytes) -> bool:
    """Whether each name of a stored document comes once, at any depth.

    MongoDB compares the first of two members of a name, while the last is what a decoded document has.
    """
    try:
        if bson.encode(read_document(stored)) == stored:
            return True
        strict: CodecOptions[_Once] = _LENIENT.with_options(document_class=_Once)
        bson.decode(stored, strict)  # some values are encoded in another way: names decide
    except (_Inexact, BSONError, TypeError, ValueError, OverflowError):
        return False
    return True


def _render_line(stored: bytes) -> bytes:
    try:
        document = bson.decode(stored, _OPTIONS)
        is_exact = bson.encode(document) == stored
        if is_exact and not (b"$" in stored and _NAMED_AS_OPERATOR.search(stored)):
            return orjson.dumps(document, _render_value, _FLAGS)
    except (_Inexact, BSONError, TypeError, ValueError, OverflowError, RecursionError):
        pass  # no JSON for it: as bytes
    return orjson.dumps({_AS_BYTES: base64.b64encode(stored).decode()})


def _render_value(value: Any) -> Document:
    render = _RENDER.get(type(value))
    if render is None:
        raise _Inexact
    return render(value)


def _render_double(value: float) -> Document:
    text = float.__repr__(value)
    if value != value and struct.pack("<d", value) != _NAN:
        raise _Inexact
    return {"$numberDouble": _TEXTS.get(text, text)}


@lru_cache(maxsize=2**14)
def _decimal_text(stored: bytes) -> str:
    text = str(Decimal128.from_bid(stored))
    if _parse_decimal(text).bid != stored:
        raise _Inexact
    return text


_parse_decimal = lru_cache(maxsize=2**14)(Decimal128)


def _render_binary(value: bytes, subtype: int = 0) -> Document:
    return {"$binary": {"base64": base64.b64encode(value).decode(), "subType": f"{subtype:02x}"}}


_RENDER: Final[Mapping[type, Callable[[Any], Document]]] = {
    Int64: lambda value: {"$numberLong": int.__repr__(value)},
    _Double: _render_double,
    ObjectId: lambda value: {"$oid": str(value)},
    DatetimeMS: lambda value: {"$date": {"$numberLong": str(int(value))}},
    Decimal128: lambda value: {"$numberDecimal": _decimal_text(value.bid)},
    bytes: _render_binary,
    Binary: lambda value: _render_binary(value, value.subtype),
    Timestamp: lambda value: {"$timestamp": {"t": value.time, "i": value.inc}},
    MinKey: lambda _value: {"$minKey": 1},
    MaxKey: lambda _value: {"$maxKey": 1},
}


def _parse_line(line: bytes) -> bytes:
    try:
        document = orjson.loads(line)
        if type(document) is not dict:
            raise NotRestorable("a line is not a document")
        if document.keys() == {_AS_BYTES}:
            stored = base64.b64decode(document[_AS_BYTES], validate=True)
            bson.decode(stored, _LENIENT)
            return stored
        _parse_members(document, document.items())
        return bson.encode(document)
    except (BSONError, TypeError, ValueError, KeyError, ArithmeticError, RecursionError) as error:
        raise NotRestorable(f"a line is not a document in extended JSON: {error!r}") from error


def _parse_members(holder: Any, members: Any) -> None:
    """Replace the values that are written in extended JSON, at any depth."""
    for at, value in members:
        kind = type(value)
        if kind is dict:
            if len(value) == 1:
                (name,) = value
                parse = _PARSE.get(name)
                if parse is not None:
                    holder[at] = parse(value[name])
                    continue
            _parse_members(value, value.items())
        elif kind is list:
            _parse_members(value, enumerate(value))


def _parse_binary(value: Any) -> Binary:
    return Binary(base64.b64decode(value["base64"], validate=True), int(value["subType"], 16))


_PARSE: Final[Mapping[str, Callable[[Any], Any]]] = {
    "$numberInt": int,
    "$numberLong": Int64,
    "$numberDouble": float,
    "$oid": lambda text: ObjectId(bytes.fromhex(text)),  # in half the time that its text takes
    "$date": lambda value: DatetimeMS(int(value["$numberLong"])),
    "$numberDecimal": _parse_decimal,
    "$binary": _parse_binary,
    "$timestamp": lambda value: Timestamp(value["t"], value["i"]),
    "$minKey": lambda _value: MinKey(),
    "$maxKey": lambda _value: MaxKey(),
}


def iterate_parts(batch: bytes, size: int) -> Iterator[bytes]:
    """Cut a batch of the store into pieces of whole documents, of about ``size`` bytes."""
    place, start = 0, 0
    while place < len(batch):
        place += int.from_bytes(batch[place : place + 4], "little")
        if place - start >= size:
            yield batch[start:place]
            start = place
    if start < place:
        yield batch[start:place]
