"""What operators can see of a running service: metrics, traces and slow store commands (README)."""

from runtime.observe.exposition import FOLDER, render_metrics, serve_metrics
from runtime.observe.meters import METHODS, ON_REFUSAL, OTHER, Meters
from runtime.observe.observer import Observer, close_observer, open_observer
from runtime.observe.sampling import keep_sampling
from runtime.observe.traces import Trace

__all__ = [
    "FOLDER",
    "METHODS",
    "ON_REFUSAL",
    "OTHER",
    "Meters",
    "Observer",
    "Trace",
    "close_observer",
    "keep_sampling",
    "open_observer",
    "render_metrics",
    "serve_metrics",
]
