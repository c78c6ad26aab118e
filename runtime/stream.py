"""An answer that begins before its end is there: bytes as they are made. ``storage.wire.Json`` is whole.

What can go wrong before the first bytes is an error with its status. Afterwards the status is sent: whoever
makes the bytes raises, and the connection is cut, so that the receiver sees a broken transfer and never takes
a part for the whole.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Stream:
    """``first``: the bytes that are there already; ``rest`` makes the others, and lets go of what it holds
    when it is closed, which whoever sends them does in any case."""

    first: bytes
    rest: AsyncGenerator[bytes, None]
    media_type: str
    headers: Mapping[str, str] = field(default_factory=dict)
