"""Server-sent events as bytes. Pure.

An event ends with an empty line; a block that only has an ``id`` or a comment is not an event to its
reader, but the id is what a client sends as ``Last-Event-ID`` when it connects again.
"""

from typing import Final

MEDIA_TYPE: Final = "text/event-stream"

HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
"""Answers that no cache may store, and a proxy that buffers answers passes on as they come."""


def render_event(data: bytes, event_id: str | None = None) -> bytes:
    """Render an event; ``data`` is one line."""
    return _render_line_of_id(event_id) + b"data: " + data + b"\n\n"


def render_id(event_id: str) -> bytes:
    """Render the place up to which everything was sent, without an event."""
    return _render_line_of_id(event_id) + b"\n"


def render_comment(text: str, event_id: str | None = None) -> bytes:
    """Render a line that clients ignore."""
    return b": " + text.encode("ascii") + b"\n" + _render_line_of_id(event_id) + b"\n"


def _render_line_of_id(event_id: str | None) -> bytes:
    return b"" if event_id is None else b"id: " + event_id.encode("ascii") + b"\n"


WELCOME_BACK: Final = render_comment("welcome back")
"""What begins a stream that goes on behind an event: no id, since what was missed is yet to come."""
