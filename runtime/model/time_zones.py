"""Time zones by their names in the IANA database."""

from collections.abc import Set
from functools import cache
from zoneinfo import available_timezones


@cache
def time_zone_names() -> Set[str]:
    """Return the names of all time zones."""
    return frozenset(available_timezones() - {"localtime", "Factory"})


def is_time_zone(name: str) -> bool:
    """Return whether a time zone has this name."""
    return name in time_zone_names()
