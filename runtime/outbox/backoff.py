"""When a delivery is sent again after an attempt that failed. Pure."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

MOST_SECONDS: Final = 6 * 3600.0
"""The longest wait by itself."""

_MOST_REQUESTED: Final = 24 * 3600.0
"""The longest wait that a receiver may ask for."""

_MOST_DOUBLINGS: Final = 30


def choose_delay(attempts: int, first: float, draw: float, requested: float | None = None) -> float:
    """Return the seconds until the next attempt, after so many.

    They double each time. ``draw`` (0 to 1) spreads them over the upper half, so that what failed together
    does not come back together. ``requested``: what the receiver asks for; it is never sent before.
    """
    longest = min(first * 2.0 ** min(attempts - 1, _MOST_DOUBLINGS), MOST_SECONDS)
    return max(longest * (0.5 + draw / 2), requested or 0.0)


def read_retry_after(value: str | None, now: datetime) -> float | None:
    """Return the seconds that a header ``Retry-After`` asks for; None if it cannot be read.

    ``now``: naive UTC. The header has seconds, or a date (RFC 9110 §10.2.3).
    """
    text = (value or "").strip()[:100]
    if text.isascii() and text.isdigit():
        return min(float(text), _MOST_REQUESTED)
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    ahead = date.replace(tzinfo=date.tzinfo or UTC) - now.replace(tzinfo=UTC)
    return min(max(ahead.total_seconds(), 0.0), _MOST_REQUESTED)
