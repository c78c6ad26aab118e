"""Live events: streams of what is written, to callers who may see it."""

from runtime.events.changes import follow_changes
from runtime.events.sending import Past, start_stream
from runtime.events.watch import Watch
from runtime.server_sent import render_event

__all__ = ["Past", "Watch", "follow_changes", "render_event", "start_stream"]
