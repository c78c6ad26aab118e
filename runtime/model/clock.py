"""Timestamps as the store keeps them: naive, in UTC, in milliseconds. Pure, except for ``now``."""

from datetime import UTC, datetime


def now() -> datetime:
    """Return the current time as the store keeps it; half the time of ``replace``."""
    at = datetime.now(UTC)
    milliseconds = at.microsecond // 1000
    return datetime(at.year, at.month, at.day, at.hour, at.minute, at.second, milliseconds * 1000)


def from_seconds(seconds: float) -> datetime:
    """Return seconds since 1970 as the store keeps them."""
    return as_stored(datetime.fromtimestamp(seconds, UTC))


def to_seconds(stored: datetime) -> float:
    """Return a timestamp of the store in seconds since 1970, whatever the time zone of the machine."""
    return stored.replace(tzinfo=UTC).timestamp()


def as_stored(value: datetime) -> datetime:
    """Return a timestamp as the store keeps it; raises ``OverflowError`` outside the years 1 to 9999."""
    utc = in_utc(value)
    return utc.replace(microsecond=utc.microsecond // 1000 * 1000)


def in_utc(value: datetime) -> datetime:
    """Return a timestamp as naive UTC; a naive one is in UTC already. Raises as ``as_stored``."""
    return value.astimezone(UTC).replace(tzinfo=None) if value.tzinfo else value
