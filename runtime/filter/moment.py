"""Dates relative to the moment of a request, in the time zone of its caller: ``now-7d``, ``lastMonth``.

Days and longer units are counted on the calendar of the zone, so that a day later is the same time of day
across changes of the clock; hours and shorter ones are counted as they pass. Weeks begin on Monday, as in
ISO 8601.
"""

from __future__ import annotations

import re
from calendar import monthrange
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any, Final

from runtime.filter.syntax_literals import Literal, Text
from runtime.model.clock import as_stored, now
from runtime.model.field_type import FieldType, ValueKind
from runtime.model.nearest import nearest

_OFFSET: Final = r"(?:(?P<sign>[+-])(?P<number>[0-9]{1,6})(?P<unit>y|mo|w|d"
_NOW: Final = re.compile(rf"now{_OFFSET}|h|m|s))?")
_TODAY: Final = re.compile(rf"today{_OFFSET}))?")
_PERIOD: Final = re.compile(r"(?P<which>this|last|next)(?P<unit>Week|Month|Quarter|Year)")
_EITHER_DAY: Final = re.compile("yesterday|tomorrow")
_DAYS: Final = {"yesterday": -1, "today": 0, "tomorrow": 1}
_WHICH: Final = {"last": -1, "this": 0, "next": 1}
_MONTHS: Final = {"Month": 1, "Quarter": 3, "Year": 12}
_WORDS: Final = (
    "now",
    *_DAYS,
    *(f"{which}{unit}" for which in _WHICH for unit in ("Week", "Month", "Quarter", "Year")),
)
_LAST: Final = datetime.max.replace(microsecond=999000, tzinfo=UTC)
_FIRST: Final = datetime.min.replace(tzinfo=UTC)

MAY_BE_RELATIVE: Final = re.compile(r"now|today|yesterday|tomorrow|(?:this|last|next)[WMQY]")


@dataclass(frozen=True, slots=True)
class Moment:
    """When a request came, in UTC and in milliseconds, and the time zone of its caller."""

    at: datetime
    zone: tzinfo = UTC

    @classmethod
    def of(cls, seconds: float) -> Moment:
        """Return the moment that a clock shows, in seconds since 1970."""
        return cls(datetime.fromtimestamp(int(seconds * 1000) / 1000, UTC))

    @classmethod
    def now(cls) -> Moment:
        """Return the moment of the clock of the machine."""
        return cls(now().replace(tzinfo=UTC))


def is_relative(literal: Literal) -> bool:
    """Whether a literal is a date relative to now, where a field is a date or date-time."""
    return (
        isinstance(literal, Text)
        and not (literal.quoted or literal.ignore_case or literal.has_case)
        and any(form.fullmatch(literal.text) for form in (_NOW, _TODAY, _PERIOD, _EITHER_DAY))
    )


def read_relative(text: str, field_type: FieldType, moment: Moment) -> tuple[Any, Any]:
    """Return the first and last value that a relative date stands for; one value twice.

    Raises ``OverflowError`` or ``ValueError`` outside the years 1 to 9999.
    """
    local = moment.at.astimezone(moment.zone)
    if found := _NOW.fullmatch(text):
        at = _shift(moment, local, found)
        value = at.astimezone(moment.zone).date().isoformat() if _is_date(field_type) else at
        return value, value
    first, last = _days(text, local.date())
    if _is_date(field_type):
        return first.isoformat(), last.isoformat()
    return span_of_days(first, last, moment.zone)


def span_of_days(first: date, last: date, zone: tzinfo) -> tuple[datetime, datetime]:
    """Return the first and the last millisecond of some days of a time zone, in UTC."""
    end = _LAST if last == date.max else _start(last + timedelta(days=1), zone) - timedelta(milliseconds=1)
    return _start(first, zone), end


def advise_relative(text: str, field_type: FieldType) -> str:
    """Say how relative dates are written, for a text that looks like one and is none."""
    if field_type.kind not in (ValueKind.DATE, ValueKind.DATETIME):
        return ""
    if text.casefold().lstrip().startswith(("now", "today")):
        return "; relative dates are written now-7d or today+1mo, with the units y, mo, w, d, h, m and s"
    near = nearest(text, _WORDS)
    return f"; did you mean {near[0]}?" if near else ""


def _is_date(field_type: FieldType) -> bool:
    return field_type.kind is ValueKind.DATE


def _start(day: date, zone: tzinfo) -> datetime:
    try:
        return datetime.combine(day, time.min, zone).astimezone(UTC)
    except OverflowError:  # the edges of the calendar, which a zone shifts
        return _FIRST if day.year == 1 else _LAST


def _shift(moment: Moment, local: datetime, found: re.Match[str]) -> datetime:
    """Return the moment that an offset leads to, in UTC."""
    if found["unit"] in ("h", "m", "s"):
        unit = {"h": "hours", "m": "minutes", "s": "seconds"}[found["unit"]]
        return moment.at + timedelta(**{unit: _number(found)})
    day = _shift_day(local.date(), found)
    shifted = datetime.combine(day, local.timetz()) if found["unit"] else local
    return as_stored(shifted).replace(tzinfo=UTC)


def _shift_day(day: date, found: re.Match[str]) -> date:
    number = _number(found)
    match found["unit"]:
        case "y" | "mo":
            return _add_months(day, number * (12 if found["unit"] == "y" else 1))
        case "w" | "d":
            return day + timedelta(days=number * (7 if found["unit"] == "w" else 1))
    return day


def _number(found: re.Match[str]) -> int:
    return int(f"{found['sign']}{found['number']}") if found["sign"] else 0


def _days(text: str, today: date) -> tuple[date, date]:
    """Return the first and the last day of a word."""
    if found := _TODAY.fullmatch(text):
        day = _shift_day(today, found)
        return day, day
    if text in _DAYS:
        day = today + timedelta(days=_DAYS[text])
        return day, day
    found = _PERIOD.fullmatch(text)
    if found is None:
        raise ValueError(f"{text} is not a relative date")
    which, unit = _WHICH[found["which"]], found["unit"]
    if unit == "Week":
        first = today - timedelta(days=today.weekday()) + timedelta(weeks=which)
        return first, first + timedelta(days=6)
    months = _MONTHS[unit]
    first = _add_months(today.replace(month=(today.month - 1) // months * months + 1, day=1), which * months)
    last = _add_months(first, months - 1)
    return first, last.replace(day=monthrange(last.year, last.month)[1])


def _add_months(day: date, number: int) -> date:
    """Add months; a day that the month does not have becomes its last one."""
    year, month = divmod(day.year * 12 + day.month - 1 + number, 12)
    if not 1 <= year <= 9999:
        raise OverflowError("outside of the calendar")
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))
