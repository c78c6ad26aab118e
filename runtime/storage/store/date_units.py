"""Dates by year, quarter, month, week, day and hour, as text: ``2026-Q1``, ``2026-03``, ``2026-W13``.

Text sorts as time does, reads well, and means the same in a filter on groups. It is the time that a clock in
the zone shows: an hour that comes twice, when clocks go back, is one.
"""

from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, Final
from zoneinfo import ZoneInfo

from runtime.model.field_type import ValueKind


class Unit(StrEnum):
    """What dates are grouped by."""

    YEAR = "year"
    QUARTER = "quarter"
    MONTH = "month"
    WEEK = "week"
    DAY = "day"
    HOUR = "hour"


_FORMATS: Final = {
    Unit.YEAR: "%Y",
    Unit.QUARTER: "%Y",
    Unit.MONTH: "%Y-%m",
    Unit.WEEK: "%G-W%V",
    Unit.DAY: "%Y-%m-%d",
    Unit.HOUR: "%Y-%m-%dT%H",
}
_NO_TIME: Final = timedelta()
_FIRST: Final = datetime(1, 1, 1, 12)
_LAST: Final = datetime(9999, 12, 31, 23, 59, 59, 999000)
"""MongoDB cannot write the year 10000, nor does the year 0 say anything to a reader."""


def build_unit(value: str, kind: ValueKind, unit: Unit, time_zone: str) -> Any:
    """Build the expression of the unit of a moment or of a date (which is text, and of no zone)."""
    date: Any = value
    zone: dict[str, Any] = {}  # UTC goes without saying: MongoDB takes a sixth longer when it is said
    if kind is ValueKind.DATE:
        date = {
            "$dateFromString": {"dateString": value, "format": "%Y-%m-%d", "onError": None, "onNull": None}
        }
    elif time_zone != "UTC":
        date, zone = _bring_into_years(value, time_zone), {"timezone": {"$literal": time_zone}}
    text = {"$dateToString": {"date": date, "format": _FORMATS[unit], **zone}}
    if unit is not Unit.QUARTER:
        return text
    third = {"$toInt": {"$ceil": {"$divide": [{"$month": {"date": date, **zone}}, 3]}}}
    return {"$concat": [text, "-Q", {"$toString": third}]}


def _bring_into_years(value: str, time_zone: str) -> Any:
    ahead = (_LAST - timedelta(days=1)).replace(tzinfo=ZoneInfo(time_zone)).utcoffset() or _NO_TIME
    last = _LAST - max(ahead + timedelta(hours=1), _NO_TIME)  # an hour: clocks may have changed
    late = {"case": {"$gt": [value, last]}, "then": last}
    early = {"case": {"$and": [{"$gt": [value, None]}, {"$lt": [value, _FIRST]}]}, "then": _FIRST}
    return {"$switch": {"branches": [late, early], "default": value}}
