"""A streamed response body. ``storage.wire.Json`` is a whole one.

An error before the first bytes has its status. Afterwards the status is sent: the generator raises, and the
connection is cut, so that the receiver sees a broken transfer and never takes a part for the whole.
"""

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Stream:
    """Bytes that are ready, and a generator of the others.

    ``first``: the bytes that are ready; ``rest`` yields the others, and releases what it holds when it is
    closed, which the sender does in any case.
    """

    first: bytes
    rest: AsyncGenerator[bytes, None]
    media_type: str
    headers: Mapping[str, str] = field(default_factory=dict)
