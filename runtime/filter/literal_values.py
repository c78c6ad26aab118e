"""What the literals of a filter mean for a field, besides one value: variables, spans, patterns."""

import re
from calendar import monthrange
from datetime import date, datetime, tzinfo
from decimal import Decimal
from typing import Any, TypeAlias

from bson import ObjectId
from bson.regex import Regex

from runtime.filter.moment import span_of_days
from runtime.filter.syntax_literals import Literal, Text
from runtime.filter.values import read_value
from runtime.filter.wildcard import exact_pattern, wildcard_pattern
from runtime.model.field_type import FieldType, ValueKind

VariableValue: TypeAlias = str | int | float | bool | Decimal | datetime | ObjectId

_SPAN = re.compile(r"(?P<year>[0-9]{4})(?:-(?P<month>[0-9]{2})(?:-(?P<day>[0-9]{2}))?)?")


def read_variable(field_type: FieldType, value: VariableValue) -> Any:
    """Type the value of a variable by the field. Text stays text. Raises ``Unreadable``."""
    if field_type.kind is ValueKind.JSON:
        return value
    if isinstance(value, bool):
        return read_value(field_type, "true" if value else "false")
    if isinstance(value, datetime):
        return read_value(field_type, value.isoformat())
    return read_value(field_type, str(value))


def span_of(literal: Literal, field_type: FieldType, zone: tzinfo) -> tuple[Any, Any] | None:
    """Return first and last value of a literal that stands for several; None for every other one.

    Such a literal is a month or a year, and for a timestamp also a day (its milliseconds, in the zone).
    """
    kind = field_type.kind
    if (
        kind not in (ValueKind.DATETIME, ValueKind.DATE)
        or not isinstance(literal, Text)
        or literal.ignore_case
    ):
        return None
    found = _SPAN.fullmatch(literal.text)
    if found is None or (found["day"] and kind is ValueKind.DATE):
        return None
    year, month, day = found.group("year", "month", "day")
    try:
        first = date(int(year), int(month or 1), int(day or 1))
        end = int(month or 12)
        last = first.replace(month=end, day=int(day or monthrange(first.year, end)[1]))
    except ValueError:
        return None
    if kind is ValueKind.DATE:
        return first.isoformat(), last.isoformat()
    return span_of_days(first, last, zone)


def as_declared(value: Text, field_type: FieldType) -> Text:
    """Return the enumerated word a text means when case does not matter, else the text."""
    known = {word.casefold(): word for word in field_type.values}
    return Text(known.get(value.text.casefold(), value.text), quoted=True, at=value.at)


def read_pattern(text: Text) -> Regex[str]:
    """Build the pattern for a text with wildcards, or one whose case does not matter."""
    if text.is_pattern:
        return wildcard_pattern(text.text, ignore_case=text.ignore_case, wild=text.wild or None)
    return exact_pattern(text.text, ignore_case=text.ignore_case)
