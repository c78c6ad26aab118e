"""The field types of the language, one row each: what a value must be, and which words may be said of it.

``fits`` takes a value as YAML gives it (dates as text) and says what is wrong, or None. The rows serve
the checks of ``resolve`` and the completions of editors.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, get_args

from pydantic import SecretStr

from runtime.model.formats import FORMAT_PATTERNS
from runtime.model.scalars import REF_NAME_PATTERN

_TEXT = frozenset({"minLength", "maxLength", "pattern", "format"})
_NUMERIC = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"})
_LIST = frozenset({"minItems", "maxItems", "uniqueItems"})
_NONE: frozenset[str] = frozenset()

_DECIMAL = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)")
_MOST_DIGITS = 34
"""Digits that the store has for a decimal."""
_EXACT_DIGITS = 15
"""Digits that a number without quotes keeps, whatever they are."""

_MAX_REF_NAME = 200
REF_NAME_RULE = f"1 to {_MAX_REF_NAME} characters, not only blanks and without NUL"

FORMATS = tuple(FORMAT_PATTERNS)
"""What ``format`` may say of a string."""


@dataclass(frozen=True, slots=True)
class TypeRow:
    """``said_by``: the word that gives the type, itself a value of ``type:`` when that is the word."""

    name: str
    meaning: str
    fits: Callable[[object], str | None]
    constraints: frozenset[str] = _NONE
    indexable: bool = True
    unique: bool = True
    said_by: str = "type"


def is_ref_name(text: str) -> bool:
    """Whether a record can be called so."""
    return len(text) <= _MAX_REF_NAME and re.search(REF_NAME_PATTERN, text) is not None


def _text(value: object) -> str | None:
    if isinstance(value, str):
        return None
    return "is not text" if isinstance(value, list | dict) else "is not text: quote it"


def _integer(value: object) -> str | None:
    if not isinstance(value, int) or isinstance(value, bool):
        is_quoted = isinstance(value, str) and re.fullmatch(r"-?\d{1,18}", value, re.ASCII)
        return "is not a whole number" + (": remove the quotes" if is_quoted else "")
    return None if -(2**63) <= value < 2**63 else "does not fit in 64 bits"


def _number(value: object) -> str | None:
    return None if isinstance(value, int | float) and not isinstance(value, bool) else "is not a number"


def _decimal(value: object) -> str | None:
    if not isinstance(value, str):
        return _number(value) or (_rounding(value) if isinstance(value, float) else None)
    if not _DECIMAL.fullmatch(value):
        return "is not a decimal number such as 12.50"
    return f"has more than {_MOST_DIGITS} digits" if _count_digits(value) > _MOST_DIGITS else None


def _rounding(value: float) -> str | None:
    is_exact = _count_digits(f"{Decimal(repr(value)):f}") <= _EXACT_DIGITS
    return None if is_exact else f"has more than {_EXACT_DIGITS} digits, which only text keeps: quote it"


def _count_digits(text: str) -> int:
    return len(text.lstrip("+-").replace(".", "").strip("0"))


def _boolean(value: object) -> str | None:
    if isinstance(value, bool):
        return None
    return "is not true or false" + (": remove the quotes" if value in ("true", "false") else "")


def _date(value: object) -> str | None:
    wrong = "is not a date such as 2026-03-27"
    if not isinstance(value, str) or not re.fullmatch(r"\d{4}-\d\d-\d\d", value):
        return wrong
    try:
        date.fromisoformat(value)
    except ValueError:
        return wrong
    return None


def _datetime(value: object) -> str | None:
    wrong = "is not a date-time with a zone such as 2026-03-27T04:12:14Z"
    if not isinstance(value, str) or not re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d", value):
        return wrong
    try:
        found = datetime.fromisoformat(value)
        found.astimezone(UTC)
    except ValueError:
        return wrong
    except OverflowError:
        return "is outside the years 1 to 9999 of UTC"
    return None if found.tzinfo else wrong


def _object_id(value: object) -> str | None:
    matches = isinstance(value, str) and re.fullmatch(r"[0-9a-f]{24}", value)
    return None if matches else "is not an object id (24 hexadecimal digits in lower case)"


def _anything(value: object) -> str | None:
    return None


def _list(value: object) -> str | None:
    return None if isinstance(value, list) else "is not a list"


def _reference(value: object) -> str | None:
    is_right = isinstance(value, dict)
    return None if is_right else 'is not a reference such as {entityId: "65f1c0de0000400080000001"}'


def _mapping(value: object) -> str | None:
    return None if isinstance(value, dict) else "is not a mapping"


_ROWS = (
    TypeRow("string", "Text of one line.", _text, _TEXT),
    TypeRow("text", "Long text, for the text search.", _text, _TEXT, indexable=False, unique=False),
    TypeRow("integer", "A whole number of 64 bits.", _integer, _NUMERIC),
    TypeRow("number", "A floating point number.", _number, _NUMERIC),
    TypeRow("decimal", "An exact decimal number.", _decimal, _NUMERIC),
    TypeRow("boolean", "true or false.", _boolean, unique=False),
    TypeRow("date", "A day, 2026-03-27.", _date),
    TypeRow("datetime", "A moment with its zone, 2026-03-27T04:12:14Z.", _datetime),
    TypeRow("objectId", "An object id, 24 hexadecimal digits.", _object_id),
    TypeRow("json", "Anything.", _anything, indexable=False, unique=False),
    TypeRow("enum", "One of the values.", _text, said_by="enum"),
    TypeRow("list", "A list.", _list, _LIST, unique=False, said_by="list"),
    TypeRow("map", "A map from text.", _mapping, indexable=False, unique=False, said_by="map"),
    TypeRow("object", "A nested object.", _mapping, indexable=False, unique=False, said_by="object"),
    TypeRow(
        "structure", "A shared nested object.", _mapping, indexable=False, unique=False, said_by="structure"
    ),
    TypeRow("reference", "A pointer to another record.", _reference, said_by="reference"),
    TypeRow("states", "A state of a graph.", _text, said_by="states"),
)  # fmt: skip

TYPES: Mapping[str, TypeRow] = {row.name: row for row in _ROWS}
SCALARS = tuple(row.name for row in _ROWS if row.said_by == "type")
"""What ``type:`` may say."""

SYNONYMS: Mapping[str, str] = {
    "str": "string", "varchar": "string", "char": "string",
    "int": "integer", "long": "integer", "int64": "integer", "float": "number", "double": "number",
    "money": "decimal", "bool": "boolean", "timestamp": "datetime", "instant": "datetime",
    "date-time": "datetime", "oid": "objectId", "id": "objectId", "any": "json",
}  # fmt: skip
"""Words of other languages, for the hint."""

OF_DEPLOYMENTS = frozenset({"service.app"})
"""Settings that a file does not hold, as it does not hold secrets: where it is found itself."""


def is_secret(annotation: Any) -> bool:
    """Whether the values of a setting are masked, at any depth of its annotation."""
    return annotation is SecretStr or any(map(is_secret, get_args(annotation)))
