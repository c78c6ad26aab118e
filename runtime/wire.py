"""Between the wire and the store: stored documents → JSON bytes without building models, and checked
input → documents. One codec a record type, compiled once from its field types.

Stored: ``_id`` and object ids as ObjectId, decimals as Decimal128, date-times as naive UTC in
milliseconds, dates as text. On the wire: ``id``, text, decimals as text, ``2026-03-27T04:12:14.118Z``.
Absent and null fields are left out on both sides (decisions §0).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal, DecimalException
from functools import lru_cache
from typing import Any, Generic, TypeVar

import orjson
from bson import Decimal128, ObjectId
from pydantic import BaseModel

from runtime.errors import ValidationFailed
from runtime.record_type import FieldType, RecordType, ValueKind

T_co = TypeVar("T_co", covariant=True)
Document = dict[str, Any]
Converter = Callable[[Any, str], Any]

_MAX_DEPTH = 32
_INT64 = 2**63


@dataclass(frozen=True, slots=True)
class Json(Generic[T_co]):
    """An answer as JSON bytes; ``T_co`` is what the bytes say, for the document and the type-checker."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


def new_id() -> ObjectId:
    """A fresh record id, as the store keeps it."""
    return ObjectId()


def to_json(value: Any) -> bytes:
    """Any answer as JSON bytes, with stored values written as on the wire."""
    return orjson.dumps(
        value, default=lambda inner: _WRITERS[type(inner)](inner), option=orjson.OPT_PASSTHROUGH_DATETIME
    )


def to_wire(document: Document) -> Document:
    """A stored document as a caller sees it: ``id`` first, in place of ``_id``."""
    shown = {"id": document["_id"], **document}
    del shown["_id"]
    return shown


def record_json(
    kind: RecordType[T_co],
    document: Document,
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> Json[T_co]:
    """One record, with its ``ETag``."""
    tag = {"ETag": etag(document)} if "version" in document else {}
    return Json(to_json(to_wire(document)), status, {**tag, **(headers or {})})


def without(document: Document, paths: Collection[str]) -> Document:
    """A copy without the fields at these dotted paths; what lies beside them is shared, not copied."""
    shown = dict(document)
    for path in paths:
        name, _, rest = path.partition(".")
        if not rest:
            shown.pop(name, None)
        elif isinstance(shown.get(name), dict):
            shown[name] = without(shown[name], (rest,))
        elif isinstance(shown.get(name), list):
            shown[name] = [without(item, (rest,)) if isinstance(item, dict) else item for item in shown[name]]
    return shown


def etag(document: Mapping[str, Any]) -> str:
    """The entity tag of a stored record: its version (decisions §1)."""
    return f'"{document["version"]}"'


def names_tag(header: str, tag: str) -> bool:
    """Whether ``If-None-Match`` names this entity tag: compared weakly (RFC 9110 §13.1.2)."""
    tags = {entry.strip().removeprefix("W/") for entry in header.split(",")}
    return "*" in tags or tag in tags


def to_document(kind: RecordType[Any], record: BaseModel) -> Document:
    """Checked input as a document to store; ``id`` becomes ``_id``.

    Raises ``ValidationFailed`` for what BSON cannot keep: integers beyond 64 bits, decimals beyond 34
    digits, moments outside the years 1 to 9999, keys with ``$``, ``.`` or NUL, JSON deeper than 32 levels
    or with numbers that are not finite.
    """
    values = record.model_dump(exclude_none=True)
    converters = _converters(kind)
    for name, convert in converters.items():
        if name in values:
            values[name] = convert(values[name], name)
    if "id" in values:
        values = {"_id": ObjectId(values.pop("id")), **values}
    return values


@lru_cache(maxsize=4096)
def _converters(kind: RecordType[Any]) -> Mapping[str, Converter]:
    """The fields that need work on the way to the store, and the work."""
    found = {name: _converter(field_type) for name, field_type in kind.fields.items() if name != "id"}
    return {name: convert for name, convert in found.items() if convert is not None}


def _converter(field_type: FieldType) -> Converter | None:
    match field_type.kind:
        case ValueKind.OBJECT:
            return _object_converter(field_type.fields)
        case ValueKind.LIST:
            inner = _converter(field_type.item) if field_type.item else None
            return _list_converter(inner) if inner else None
        case ValueKind.MAP:
            return _map_converter(_converter(field_type.item) if field_type.item else None)
        case kind:
            return _SCALAR_CONVERTERS.get(kind)


def _object_converter(fields: Mapping[str, FieldType]) -> Converter | None:
    found = {name: _converter(field_type) for name, field_type in fields.items()}
    needed = {name: convert for name, convert in found.items() if convert is not None}

    def convert_object(value: Document, path: str) -> Document:
        for name, convert in needed.items():
            if name in value:
                value[name] = convert(value[name], f"{path}.{name}")
        return value

    return convert_object if needed else None


def _list_converter(inner: Converter) -> Converter:
    return lambda items, path: [inner(item, f"{path}[{at}]") for at, item in enumerate(items)]


def _map_converter(inner: Converter | None) -> Converter:
    def convert_map(value: Document, path: str) -> Document:
        return {
            _key(name, path): inner(item, f"{path}.{name}") if inner else item for name, item in value.items()
        }

    return convert_map


def _decimal(value: Decimal, path: str) -> Decimal128:
    try:
        return Decimal128(value)
    except (DecimalException, ValueError):
        raise _violation(path, "has more than the 34 digits a decimal can keep") from None


def _integer(value: int, path: str) -> int:
    if not -_INT64 <= value < _INT64:
        raise _violation(path, "is beyond 64 bits")
    return value


def _datetime(value: datetime, path: str) -> datetime:
    try:
        utc = value.astimezone(UTC).replace(tzinfo=None)
    except OverflowError:
        raise _violation(path, "lies outside the years 1 to 9999 of UTC") from None
    return utc.replace(microsecond=utc.microsecond // 1000 * 1000)


def _json(value: Any, path: str, depth: int = 0) -> Any:
    if isinstance(value, dict | list):
        if depth == _MAX_DEPTH:
            raise _violation(path, f"is nested deeper than {_MAX_DEPTH} levels")
        if isinstance(value, dict):
            return {_key(k, path): _json(v, f"{path}.{k}", depth + 1) for k, v in value.items()}
        return [_json(item, f"{path}[{at}]", depth + 1) for at, item in enumerate(value)]
    if type(value) is float and not math.isfinite(value):
        raise _violation(path, "is not a finite number")
    return _integer(value, path) if type(value) is int else value


def _key(name: str, path: str) -> str:
    if not name or name.startswith("$") or "." in name or "\0" in name:
        raise _violation(path, f'cannot have the key "{name[:40]}": not empty, no leading $, no dot, no NUL')
    return name


_SCALAR_CONVERTERS: Mapping[ValueKind, Converter] = {
    ValueKind.OBJECT_ID: lambda value, _path: ObjectId(value),
    ValueKind.DECIMAL: _decimal,
    ValueKind.INTEGER: _integer,
    ValueKind.DATETIME: _datetime,
    ValueKind.DATE: lambda value, _path: value.isoformat(),
    ValueKind.JSON: _json,
}


def _violation(path: str, message: str) -> ValidationFailed:
    path = path[:500]
    return ValidationFailed(f"{path} {message}", violations=[{"path": path, "message": message}])


def _moment_text(value: datetime) -> orjson.Fragment:
    """UTC, always with three digits of the second; orjson writes the rest in half of isoformat's time."""
    if value.tzinfo is not None:
        value = value.astimezone(UTC).replace(tzinfo=None)
    text = orjson.dumps(value)  # "2026-03-27T04:12:14" in quotes, and six digits when there are any
    return orjson.Fragment(text[:-4] + b'Z"' if value.microsecond else text[:-1] + b'.000Z"')


def _decimal_text(value: Decimal128) -> str:
    """``format(value.to_decimal(), "f")`` in a quarter of the time, off the bits (IEEE 754 decimal128: sign,
    14 bits of exponent, 113 of digits). Infinities, NaN and positive exponents take the long way."""
    bits = int.from_bytes(value.bid, "little")
    exponent = (bits >> 113 & 0x3FFF) - 6176
    if bits >> 125 & 3 == 3 or not -34 < exponent <= 0:
        return f"{value.to_decimal():f}"
    digits = str(bits & ((1 << 113) - 1)).zfill(1 - exponent)
    sign = "-" if bits >> 127 else ""
    return f"{sign}{digits[:exponent]}.{digits[exponent:]}" if exponent else sign + digits


_WRITERS: Mapping[type, Callable[[Any], Any]] = {
    ObjectId: str,
    datetime: _moment_text,
    Decimal128: _decimal_text,
    date: date.isoformat,
    Decimal: lambda value: f"{value:f}",
    set: sorted,
    frozenset: sorted,
}


def rows_json(documents: Iterable[Document]) -> list[Document]:
    """Stored documents as the rows of a list."""
    return [to_wire(document) for document in documents]
