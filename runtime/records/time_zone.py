"""The time zone in which a request names dates."""

from dataclasses import replace
from zoneinfo import ZoneInfo

from runtime.call import Call
from runtime.errors import InvalidParameter
from runtime.model.nearest import did_you_mean, nearest
from runtime.model.time_zones import is_time_zone, time_zone_names


def enter_time_zone(call: Call, name: str | None) -> Call:
    """Return the call with its dates in this time zone, by default UTC. Raises ``InvalidParameter``."""
    if name is None or name == "UTC":
        return call
    if not is_time_zone(name):
        near = nearest(name, time_zone_names())
        message = f"{name} is not a time zone of the IANA database{did_you_mean(near)}"
        raise InvalidParameter(message, parameter="timeZone", nearest=near)
    return replace(call, moment=replace(call.moment, zone=ZoneInfo(name)))
