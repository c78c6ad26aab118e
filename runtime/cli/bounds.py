"""What one connection may take: bytes, time, and its place among the connections of a worker."""

from dataclasses import dataclass
from functools import cache
from typing import Final

from runtime.errors import HeadTooLarge
from runtime.model.own_paths import LIVE, READY
from runtime.settings import Settings

MAX_FIELDS: Final = 200
"""Headers and trailers of one request."""

_SYNTAX_BYTES: Final = 4096
"""What a head has besides names and values: separators, blanks, line ends."""

_PROBES: Final = (LIVE, READY)
_FRAMING_FACTOR: Final = 16
"""Bytes of chunk sizes and chunk extensions allowed for each byte of a chunked body."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits of the server on connections, heads and bodies.

    ``body_rate``, ``read_rate``: bytes per second, the latter over ``read_seconds``. ``always``: paths that
    are answered even with too many connections. ``is_https``: whether callers use HTTPS, which refusals
    state as all answers do.
    """

    head_bytes: int
    head_seconds: float
    body_rate: int
    connections: int
    always: frozenset[bytes] = frozenset()
    read_rate: int = 4096
    read_seconds: float = 30
    is_https: bool = False


@cache
def read_bounds() -> Bounds:
    """Return the bounds that the settings of this process ask for."""
    settings = Settings.read()
    return Bounds(
        settings.head_bytes,
        settings.head_seconds,
        settings.body_rate,
        settings.connections,
        frozenset({f"{root}{path}".encode() for root in ("", settings.root_path) for path in _PROBES}),
        read_rate=settings.read_rate,
        is_https=settings.is_https,
    )


class Meter:
    """Counts what one request sends. ``body``: bytes of its body; ``raw``: all its bytes.

    URL and fields are counted as the parser delivers them. It delivers a name or value at its end, and chunk
    extensions never, so raw bytes are counted too.
    """

    __slots__ = ("_bounds", "_delivered", "_fields", "body", "raw")

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds
        self.restart()

    def restart(self) -> None:
        """Count the next request."""
        self._delivered = self._fields = self.body = self.raw = 0

    def add_url(self, size: int) -> HeadTooLarge | None:
        """Count a part of the URL; return an error when it is too much."""
        self._delivered += size
        return self._error() if self._delivered > self._bounds.head_bytes else None

    def add_field(self, size: int) -> HeadTooLarge | None:
        """Count a header or trailer; return an error when it is too much."""
        self._fields += 1
        if self._fields > MAX_FIELDS:
            return HeadTooLarge(f"a request may have at most {MAX_FIELDS} headers and trailers")
        self._delivered += size
        return self._error() if self._delivered > self._bounds.head_bytes else None

    def framing_error(self) -> HeadTooLarge | None:
        """Return an error when there is too much besides the body, whatever it is."""
        most = self._bounds.head_bytes + _SYNTAX_BYTES + _FRAMING_FACTOR * self.body
        return self._error() if self.raw - self.body > most else None

    def _error(self) -> HeadTooLarge:
        most = self._bounds.head_bytes
        return HeadTooLarge(f"URL, headers, trailers and chunk extensions may have {most} bytes together")
