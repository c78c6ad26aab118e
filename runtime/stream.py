"""A streamed response body. ``storage.wire.Json`` is a whole one.

An error before the first bytes has its status. Afterwards the status is sent: the generator raises, and the
connection is cut, so that the receiver sees a broken transfer and never takes a part for the whole.
"""

from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

ON_STOP: Final = "recordsmith.on_stop"
"""The member of the state of the application that the server calls when it begins to stop: it ends streams
that would not end by themselves."""


@dataclass(frozen=True, slots=True)
class Stream:
    """Bytes that are ready, and a generator of the others.

    ``first``: the bytes that are ready; ``rest`` yields the others, and releases what it holds when it is
    closed, which the sender does in any case. ``on_gone`` is called when there is nobody to send to, once
    or more: it ends a ``rest`` that waits for something to send.
    """

    first: bytes
    rest: AsyncGenerator[bytes, None]
    media_type: str
    headers: Mapping[str, str] = field(default_factory=dict)
    on_gone: Callable[[], None] | None = None
