"""Dynamic attributes: ``dynamicAttributes: {set: {name: {type, value}}}``. Pure.

Values are typed when they are stored, so that filters compare values of one type: DateTime as a timestamp,
ObjectRef as an object id, Float and Double as doubles; a Date is ``yyyy-MM-dd`` text like every date. Text (a
pair of ``set``, a cell) is read by the type of the attribute it changes; a new attribute gets the type its
text looks like.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from pydantic_core import from_json

from runtime.errors import InvalidParameter
from runtime.filter.syntax_literals import Text
from runtime.filter.unreadable import Unreadable, unreadable
from runtime.filter.values import read_value
from runtime.model.attribute_names import show_path
from runtime.model.clock import in_utc
from runtime.model.field_type import FieldType, ValueKind
from runtime.model.problems import Violation, invalid
from runtime.model.scalars import MARKED_ID, PLAIN_FRACTION, is_plain_whole
from runtime.model.whole_numbers import is_whole_float
from runtime.storage.wire import to_json

Document = dict[str, Any]

MAX_SETS: Final = 64
MAX_ATTRIBUTES: Final = 256  # of one set
MAX_NAME: Final = 100  # characters of the name of a set or an attribute
MAX_STRING: Final = 1000  # characters of String, Select and each choice of a MultiSelect
MAX_TEXT: Final = 100_000
MAX_CHOICES: Final = 200

_INT32 = 2**31


@dataclass(frozen=True, slots=True)
class Written:
    """A value as text, whose type is not known yet; ``items`` of a list in brackets."""

    text: str
    quoted: bool = False
    items: tuple[Written, ...] | None = None


def read_attributes(attributes: Mapping[str, Mapping[str, Document]]) -> Document:
    """Convert attributes as sent (or as stored already) to stored form.

    Raises ``ValidationFailed``, naming each.
    """
    found: list[Violation] = []
    if len(attributes) > MAX_SETS:
        found.append(_violation("dynamicAttributes", f"has more than {MAX_SETS} sets"))
    typed: Document = {}
    for group, members in attributes.items():
        path = show_path(f"dynamicAttributes.{group[:MAX_NAME]}")
        if len(group) > MAX_NAME or any(len(name) > MAX_NAME for name in members):
            found.append(_violation(path, f"names have at most {MAX_NAME} characters"))
        if len(members) > MAX_ATTRIBUTES:
            found.append(_violation(path, f"has more than {MAX_ATTRIBUTES} attributes"))
        typed[group] = {name: _read(show_path(f"{path}.{name}"), one, found) for name, one in members.items()}
    if found:
        raise invalid(found)
    return typed


def build_attribute(path: str, current: Any, written: Written) -> Document:
    """Build the attribute, as on the wire, that text sets in place of the ``current`` one or as a new one.

    Raises ``InvalidParameter`` for text that the type cannot read.
    """
    path = show_path(path)
    kind = current["type"] if isinstance(current, Mapping) else inferred_type(written)
    try:
        value = value_of_text(kind, written, Text)
    except Unreadable as error:
        message = f"{path[:200]} is {error}: write {path[:200]}:{error.example}"
        raise InvalidParameter(
            message, field=path[:200], fieldType=kind, value=written.text[:100], expected=[error.expected]
        ) from None
    return {"type": kind, "value": from_json(to_json(value))}


def inferred_type(written: Written) -> str:
    """Return the type that a text looks like; quoted text is a String."""
    text = written.text
    if written.items is not None:
        return "MultiSelect"
    if written.quoted:
        return "String"
    if text in ("true", "false"):
        return "Boolean"
    if is_plain_whole(text):
        return "Integer" if -_INT32 <= int(text) < _INT32 else "Long"
    for kind, looks in _LOOKS.items():
        if looks(text):
            return kind
    return "String"


def _read(path: str, attribute: Document, found: list[Violation]) -> Document:
    value = attribute.get("value")
    if value is None:
        return {"type": attribute["type"]}
    try:
        return {"type": attribute["type"], "value": _OF_JSON[attribute["type"]](value)}
    except Unreadable as error:
        found.append(_violation(path, f"is {attribute['type']}: {error}, such as {error.example}"))
    return {}


def _violation(path: str, message: str) -> Violation:
    return {"path": path[:500], "message": message}


def _text(most: int) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if not isinstance(value, str) or len(value) > most:
            raise Unreadable("text", '"words"', f"of at most {most} characters")
        return value

    return read


def _is_whole(value: Any) -> bool:
    """Return whether a value is an integer; the store returns long ones as a subclass, ``Int64``."""
    return isinstance(value, int) and not isinstance(value, bool)


def _whole(bits: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if is_whole_float(value):
            value = int(value)
        if not _is_whole(value) or not -(2 ** (bits - 1)) <= value < 2 ** (bits - 1):
            raise Unreadable("a whole number", "5", f"of {bits} bits")
        return int(value)

    return read


def _double(value: Any) -> float:
    if not _is_whole(value) and not isinstance(value, float):
        raise unreadable(_TEXTS["Double"])
    return float(value)


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise unreadable(_TEXTS["Boolean"], example="true")
    return value


def _read_timestamp(value: Any) -> datetime:
    if not isinstance(value, datetime):
        if not isinstance(value, str) or len(value) <= len("2026-03-27"):
            raise unreadable(_TEXTS["DateTime"], example='"2026-03-27T04:12:14Z"')
        value = read_value(_TEXTS["DateTime"], value)
    moment: datetime = value
    return in_utc(moment)


def _by_text(kind: str) -> Callable[[Any], Any]:
    return lambda value: read_value(_TEXTS[kind], value if isinstance(value, str) else str(value))


def _choices(value: Any) -> list[str]:
    if not isinstance(value, list) or len(value) > MAX_CHOICES:
        raise Unreadable("a list of texts", '["a", "b"]', f"of at most {MAX_CHOICES}")
    return [_text(MAX_STRING)(one) for one in value]


def _object(value: Any) -> Document:
    if not isinstance(value, dict):
        raise Unreadable("an object", "{…}")
    return value


_OF_JSON: Mapping[str, Callable[[Any], Any]] = {
    "String": _text(MAX_STRING),
    "Text": _text(MAX_TEXT),
    "Integer": _whole(32),
    "Long": _whole(64),
    "Float": _double,
    "Double": _double,
    "Date": _by_text("Date"),
    "DateTime": _read_timestamp,
    "Boolean": _boolean,
    "Select": _text(MAX_STRING),
    "MultiSelect": _choices,
    "ObjectRef": _by_text("ObjectRef"),
    "Object": _object,
}
_TEXTS: Mapping[str, FieldType] = {
    "Integer": FieldType(ValueKind.INTEGER),
    "Long": FieldType(ValueKind.INTEGER),
    "Float": FieldType(ValueKind.NUMBER),
    "Double": FieldType(ValueKind.NUMBER),
    "Date": FieldType(ValueKind.DATE),
    "DateTime": FieldType(ValueKind.DATETIME),
    "Boolean": FieldType(ValueKind.BOOLEAN),
    "ObjectRef": FieldType(ValueKind.OBJECT_ID),
}
"""How text is read; the types that are not here take it as it is."""


def value_of_text(kind: str, written: Written, literal: Callable[[str], str | Text] = str) -> Any:
    """Return the value, as stored, that text has in an attribute of this type. Raises ``Unreadable``.

    ``literal``: what ``read_value`` takes the text for.
    """
    if kind == "MultiSelect":
        return [one.text for one in ((written,) if written.items is None else written.items)]
    if kind == "Object":
        raise Unreadable("an object", "{…}", "and is sent as JSON")
    if written.items is not None:
        raise unreadable(_TEXTS.get(kind, FieldType(ValueKind.STRING)))
    reference = MARKED_ID.fullmatch(written.text) if kind == "ObjectRef" else None
    text = reference[1].lower() if reference else written.text
    return _OF_JSON[kind](read_value(_TEXTS[kind], literal(text)) if kind in _TEXTS else text)


def _can_read(kind: str) -> Callable[[str], bool]:
    def looks(text: str) -> bool:
        try:
            _OF_JSON[kind](text)
        except Unreadable:
            return False
        return True

    return looks


_LOOKS: Mapping[str, Callable[[str], bool]] = {
    "Double": lambda text: PLAIN_FRACTION.fullmatch(text) is not None,
    "Date": _can_read("Date"),
    "DateTime": _can_read("DateTime"),
    "ObjectRef": lambda text: MARKED_ID.fullmatch(text) is not None,
}
