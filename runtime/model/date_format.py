"""How dates are written in a file: ``dd.MM.yyyy HH:mm``. Pure.

The letters are those of Unicode's date patterns: ``yyyy yy M MM MMM MMMM d dd H HH h hh a m mm s ss S…``, and
one to three ``X`` for the zone (``+01``, ``+0100``, ``+01:00``, or ``Z``). Text in ``'single quotes'`` and
everything except letters means itself. Months are English, ``yy`` means 1970 to 2069, a time without a zone
is UTC. What is read is rewritten as ISO 8601.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from itertools import pairwise
from typing import Final

from runtime.model.mappings import without_nones

MOST_CHARACTERS: Final = 100

_MONTHS: Final = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
_PARTS: Final[Mapping[str, tuple[str, str]]] = {
    "yyyy": ("year", r"\d{4}"),
    "yy": ("short_year", r"\d{2}"),
    "MMMM": ("month_name", "|".join(_MONTHS)),
    "MMM": ("month_name", "|".join(name[:3] for name in _MONTHS)),
    "MM": ("month", r"\d{2}"),
    "M": ("month", r"\d{1,2}"),
    "dd": ("day", r"\d{2}"),
    "d": ("day", r"\d{1,2}"),
    "HH": ("hour", r"\d{2}"),
    "H": ("hour", r"\d{1,2}"),
    "hh": ("half_hour", r"\d{2}"),
    "h": ("half_hour", r"\d{1,2}"),
    "a": ("half", r"[ap]m"),
    "mm": ("minute", r"\d{2}"),
    "m": ("minute", r"\d{1,2}"),
    "ss": ("second", r"\d{2}"),
    "s": ("second", r"\d{1,2}"),
    "X" * 3: ("zone", r"Z|[+-]\d{2}:\d{2}"),
    "XX": ("zone", r"Z|[+-]\d{4}"),
    "X": ("zone", r"Z|[+-]\d{2}"),
}
_TOKEN = re.compile(r"'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']")
_EXAMPLE: Final[Mapping[str, str]] = {
    "yyyy": "2026", "yy": "26", "MMMM": "March", "MMM": "Mar", "MM": "03", "M": "3", "dd": "27", "d": "27",
    "HH": "04", "H": "4", "hh": "04", "h": "4", "a": "AM", "mm": "12", "m": "12", "ss": "14", "s": "14",
    "X" * 3: "+01:00", "XX": "+0100", "X": "+01",
}  # fmt: skip


class NoDate(ValueError):
    """A pattern that is not a date pattern, or a text that the pattern does not match; says why."""


@dataclass(frozen=True, slots=True)
class DateFormat:
    """A compiled pattern. ``has_time``: it says more than the day; ``example``: a text it reads."""

    pattern: re.Pattern[str]
    has_time: bool
    example: str

    def read(self, text: str, *, day_only: bool = False) -> str:
        """Return the ISO text: ``2026-03-27``, with a time (and its zone) where the pattern has one.

        ``day_only``: the day alone, as it is written. Raises ``NoDate``.
        """
        found = self.pattern.fullmatch(text)
        if found is None:
            raise NoDate(f"is not written as in {self.example}")
        parts = without_nones(found.groupdict())
        try:
            day = date(_year(parts), _month(parts), int(parts["day"])).isoformat()
        except ValueError:
            raise NoDate(f"is not in the calendar: a date is written as in {self.example}") from None
        return f"{day}T{_time(parts)}" if self.has_time and not day_only else day


@lru_cache(maxsize=256)
def parse_date_format(pattern: str) -> DateFormat:
    """Parse a pattern. Raises ``NoDate`` for one that cannot be read or is not a whole date."""
    if len(pattern) > MOST_CHARACTERS:
        raise NoDate(f"has more than {MOST_CHARACTERS} characters")
    expression, example, names, at = "", "", set[str](), 0
    while at < len(pattern):
        token = _TOKEN.match(pattern, at)
        if token is None:
            raise NoDate("has a single quote that is not closed")
        at = token.end()
        name, one, shown = _compile_token(token)
        if name in names:
            raise NoDate(f"names the {name.replace('_', ' ')} twice")
        names |= {name} - {""}
        expression, example = expression + one, example + shown
    _require_whole(names)
    has_time = bool(names & {"hour", "half_hour"})
    return DateFormat(re.compile(expression, re.IGNORECASE | re.ASCII), has_time, example)


def _compile_token(token: re.Match[str]) -> tuple[str, str, str]:
    """Return name, expression and example of one token; literal text has no name."""
    word = token[0]
    if token[2] is None:
        literal = word if token[1] is None else token[1].replace("''", "'") or "'"
        return "", re.escape(literal), literal
    if set(word) == {"S"} and len(word) <= 9:
        return "fraction", rf"(?P<fraction>\d{{{len(word)}}})", "118000000"[: len(word)]
    if word not in _PARTS:
        raise NoDate(f"has {word}, which means nothing: as in dd.MM.yyyy HH:mm, text in 'single quotes'")
    name, expression = _PARTS[word]
    return name, f"(?P<{name}>{expression})", _EXAMPLE[word]


def _require_whole(names: set[str]) -> None:
    if not (names & {"year", "short_year"} and names & {"month", "month_name"} and "day" in names):
        raise NoDate("needs a year, a month and a day, as in dd.MM.yyyy")
    for one, other in (("year", "short_year"), ("month", "month_name"), ("hour", "half_hour")):
        if {one, other} <= names:
            raise NoDate(f"names the {one} twice")
    if ("half_hour" in names) != ("half" in names):
        raise NoDate("has hours of half a day (h) exactly where it has a (AM or PM)")
    order = ("hour", "minute", "second", "fraction")
    given = names | ({"hour"} if "half_hour" in names else set())
    for coarse, fine in pairwise(order):
        if fine in given and coarse not in given:
            raise NoDate(f"has a {fine} without its {coarse}")
    if "zone" in names and "hour" not in given:
        raise NoDate("has a zone without a time")


def _year(parts: Mapping[str, str]) -> int:
    if "year" in parts:
        return int(parts["year"])
    short = int(parts["short_year"])
    return short + (1900 if short >= 70 else 2000)


def _month(parts: Mapping[str, str]) -> int:
    if "month" in parts:
        return int(parts["month"])
    return next(at for at, name in enumerate(_MONTHS, 1) if name[:3] == parts["month_name"][:3].lower())


def _time(parts: Mapping[str, str]) -> str:
    hour = int(parts.get("hour", 0))
    if "half_hour" in parts:
        half = int(parts["half_hour"])
        if not 1 <= half <= 12:
            raise NoDate("has an hour outside 1 to 12")
        hour = half % 12 + (12 if parts["half"].lower() == "pm" else 0)
    minute, second = int(parts.get("minute", 0)), int(parts.get("second", 0))
    if hour > 23 or minute > 59 or second > 59:
        raise NoDate("has a time that is on no clock")
    fraction = f".{parts['fraction']}" if "fraction" in parts else ""
    return f"{hour:02}:{minute:02}:{second:02}{fraction}{parts.get('zone', 'Z').upper()}"
