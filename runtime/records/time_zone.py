"""The time zone in which a request names dates."""

from collections.abc import Set
from dataclasses import replace
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from runtime.call import Call
from runtime.errors import InvalidParameter
from runtime.model.nearest import did_you_mean, nearest


def enter_time_zone(call: Call, name: str | None) -> Call:
    """Return the call with its dates in this time zone, by default UTC. Raises ``InvalidParameter``."""
    if name is None or name == "UTC":
        return call
    if name not in _list_names():
        near = nearest(name, _list_names())
        message = f"{name} is not a time zone of the IANA database{did_you_mean(near)}"
        raise InvalidParameter(message, parameter="timeZone", nearest=near)
    return replace(call, moment=replace(call.moment, zone=ZoneInfo(name)))


@cache
def _list_names() -> Set[str]:
    return frozenset(available_timezones() - {"localtime", "Factory"})
