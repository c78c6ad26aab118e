"""Text → value, by the type of the field: one reader per ``ValueKind``.

Values are as the store keeps them (``runtime.storage.wire``): 64-bit integers, doubles, ``Decimal128``, dates
as text, date-times in UTC with milliseconds, object ids.
"""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal, DecimalException
from typing import Any

from bson import Decimal128, ObjectId

from runtime.fast.decimals import decimal128
from runtime.filter.syntax_literals import Number, ReferenceId, Text
from runtime.filter.unreadable import Unreadable, unreadable
from runtime.model.field_type import FieldType, ValueKind
from runtime.model.nearest import nearest
from runtime.model.scalars import INT64, PLAIN_FRACTION, is_id, is_plain_whole

_INTEGER = re.compile(r"[+-]?[0-9]{1,40}")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,6})?")
_DAY = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})")
_MOMENT = re.compile(
    r"(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})T(?P<hour>[0-9]{2}):(?P<minute>[0-9]{2})"
    r"(?::(?P<second>[0-9]{2})(?:\.(?P<fraction>[0-9]{1,9}))?)?"
    r"(?P<zone>[Zz]|(?P<sign>[+-])(?P<ahead>[0-9]{2}):?(?P<minutes>[0-9]{2})?)?"
)
_LONGEST = 400  # characters of a number; longer text is not a number


def read_value(field_type: FieldType, literal: str | Text | Number | ReferenceId) -> Any:
    """Read a literal as a stored value; plain ``str`` is bare text (a CSV cell).

    ``5.0`` is an integer as it is in JSON, but not in a cell, where ``5.000`` may be five thousand.

    Raises ``Unreadable``. ``null``, wildcards and ``~ci`` have no meaning here: the caller checks first. A
    date for a date-time field is its midnight (UTC).
    """
    if isinstance(literal, str):
        return _READERS[field_type.kind](field_type, literal)
    if isinstance(literal, Number):
        return _number_literal(field_type, literal.text)
    if isinstance(literal, ReferenceId):
        if field_type.kind is not ValueKind.OBJECT_ID and not field_type.is_attribute:
            raise unreadable(field_type)
        return ObjectId(literal.id)
    if literal.quoted:
        return _read_quoted(field_type, literal.text)
    if field_type.kind is ValueKind.INTEGER:
        return _whole_number(field_type, literal.text)
    return _READERS[field_type.kind](field_type, literal.text)


def _read_quoted(field_type: FieldType, text: str) -> Any:
    if field_type.kind is ValueKind.JSON:
        return text
    if field_type.kind in _NOT_QUOTED:
        raise unreadable(field_type, "and is written without quotes")
    return _READERS[field_type.kind](field_type, text)


_NOT_QUOTED = frozenset({ValueKind.INTEGER, ValueKind.NUMBER, ValueKind.DECIMAL, ValueKind.BOOLEAN})


def _number_literal(field_type: FieldType, marked: str) -> Any:
    text = marked.lstrip("#")
    if field_type.kind is ValueKind.INTEGER:
        return _whole_number(field_type, text)
    if field_type.kind in (ValueKind.NUMBER, ValueKind.DECIMAL):
        return _READERS[field_type.kind](field_type, text)
    if field_type.kind is ValueKind.JSON:
        if marked.startswith("##"):
            return _double(_A_NUMBER, text)
        return _integer(_AN_INTEGER, text)
    if field_type.kind is ValueKind.STRING and not field_type.values:
        raise unreadable(field_type, "and # makes a number", f'"{text[:40]}"' if '"' not in text else "")
    raise unreadable(field_type)


_AN_INTEGER = FieldType(ValueKind.INTEGER)
_A_NUMBER = FieldType(ValueKind.NUMBER)


def _whole_number(field_type: FieldType, text: str) -> int:
    return _integer(field_type, text if _INTEGER.fullmatch(text) else _whole(field_type, text))


def _whole(field_type: FieldType, text: str) -> str:
    """Write out whole numbers such as ``1e5`` and ``10.0`` as digits, up to a size."""
    if len(text) > _LONGEST or not _NUMBER.fullmatch(text):
        raise unreadable(field_type)
    number = Decimal(text)
    if number and number.adjusted() > 19:  # zero has an exponent as it was written
        raise _beyond_64_bits(field_type)
    if number != number.to_integral_value():
        raise unreadable(field_type)
    return str(int(number))


def _beyond_64_bits(field_type: FieldType) -> Unreadable:
    return unreadable(field_type, f"of 64 bits, from {-INT64} to {INT64 - 1}")


def _text(field_type: FieldType, text: str) -> str:
    if field_type.values and text not in field_type.values:
        near = nearest(text, field_type.values)
        raise unreadable(field_type, example=near[0] if near else "")
    return text


def _integer(field_type: FieldType, text: str) -> int:
    if not _INTEGER.fullmatch(text):
        raise _beyond_64_bits(field_type) if _is_long_integer(text) else unreadable(field_type)
    value = int(text)
    if not -INT64 <= value < INT64:
        raise _beyond_64_bits(field_type)
    return value


def _is_long_integer(text: str) -> bool:
    return text.isascii() and text.lstrip("+-").isdigit()


def _double(field_type: FieldType, text: str) -> float:
    if len(text) > _LONGEST or not _NUMBER.fullmatch(text):
        raise unreadable(field_type)
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise unreadable(field_type, "of at most 1.8e308")
    return value


def _decimal(field_type: FieldType, text: str) -> Decimal128:
    if len(text) > _LONGEST or not _NUMBER.fullmatch(text):
        raise unreadable(field_type)
    try:
        return decimal128(text)
    except (DecimalException, ValueError):
        raise unreadable(field_type, "of at most 34 digits, between 1e-6176 and 1e6145") from None


def _boolean(field_type: FieldType, text: str) -> bool:
    if text not in ("true", "false"):
        raise unreadable(field_type)
    return text == "true"


def _date(field_type: FieldType, text: str) -> str:
    if not _DAY.fullmatch(text):
        raise unreadable(field_type, "written yyyy-MM-dd")
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise unreadable(field_type, f"and {text} is not in the calendar") from None


def _read_timestamp(field_type: FieldType, text: str) -> datetime:
    if _DAY.fullmatch(text):
        return datetime.combine(date.fromisoformat(_date(field_type, text)), datetime.min.time(), UTC)
    found = _MOMENT.fullmatch(text)
    if found is None:
        raise unreadable(field_type)
    if not found["zone"]:
        raise unreadable(field_type, "and needs a zone", f"{text}Z")
    ahead = timedelta(hours=int(found["ahead"] or 0), minutes=int(found["minutes"] or 0))
    try:
        local = datetime.fromisoformat(
            f"{found['day']}T{found['hour']}:{found['minute']}:{found['second'] or '00'}"
        )
        if ahead >= timedelta(hours=24) or int(found["minutes"] or 0) > 59:
            raise ValueError("no such zone")
        utc = local - ahead if found["sign"] == "+" else local + ahead
    except (ValueError, OverflowError):
        raise unreadable(field_type, f"and {text} is not in the calendar") from None
    milliseconds = int((found["fraction"] or "0").ljust(3, "0")[:3])  # finer than the store keeps
    return utc.replace(microsecond=milliseconds * 1000, tzinfo=UTC)


def _object_id(field_type: FieldType, text: str) -> ObjectId:
    if not is_id(text):
        raise unreadable(field_type)
    return ObjectId(text)


def _free_form(field_type: FieldType, text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    if field_type.is_attribute:
        if (found := _MOMENT.fullmatch(text)) and found["zone"]:
            return _read_timestamp(field_type, text)
        if not (is_plain_whole(text) or PLAIN_FRACTION.fullmatch(text)):
            return text
    if _INTEGER.fullmatch(text):
        return _integer(_AN_INTEGER, text)
    if len(text) <= _LONGEST and _NUMBER.fullmatch(text):
        return _double(_A_NUMBER, text)
    return text


def _composite(field_type: FieldType, _text: str) -> Any:
    raise unreadable(field_type)


_READERS: Mapping[ValueKind, Callable[[FieldType, str], Any]] = {
    ValueKind.STRING: _text,
    ValueKind.INTEGER: _integer,
    ValueKind.NUMBER: _double,
    ValueKind.DECIMAL: _decimal,
    ValueKind.BOOLEAN: _boolean,
    ValueKind.DATE: _date,
    ValueKind.DATETIME: _read_timestamp,
    ValueKind.OBJECT_ID: _object_id,
    ValueKind.JSON: _free_form,
    ValueKind.OBJECT: _composite,
    ValueKind.MAP: _composite,
    ValueKind.LIST: _composite,
}
