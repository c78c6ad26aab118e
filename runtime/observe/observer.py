"""What watches requests and store commands: meters, traces and the log of slow commands, as far as asked for.

There is an observer only where a setting asks for one: without any, a request costs a comparison with None.
"""

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from time import monotonic
from typing import Any

from runtime.model.record_type import RecordType
from runtime.observe.meters import Meters
from runtime.observe.slow_queries import SlowQueries
from runtime.observe.traces import Tracer
from runtime.settings import Settings


@dataclass(frozen=True, slots=True)
class Observer:
    """Watches one process. At least one of its parts is there."""

    meters: Meters | None
    tracer: Tracer | None
    slow: SlowQueries | None

    def watch_command(self, body: Mapping[str, Any], began: float, error: BaseException | None) -> None:
        """Take note of a store command that has just ended; ``began``: by the monotonic clock."""
        ended = monotonic()
        seconds = ended - began
        name = next(iter(body))
        if self.meters is not None:
            self.meters.count_command(name, seconds, has_failed=error is not None)
        if self.tracer is not None:
            collection = body[name]
            self.tracer.add_command(name, collection if isinstance(collection, str) else None, seconds, error)
        if self.slow is not None and seconds > self.slow.seconds:
            self.slow.report(body, seconds, ended)

    def is_traced(self) -> bool:
        """Whether the request that is under way is traced."""
        return self.tracer is not None and self.tracer.is_tracing()


def open_observer(settings: Settings, kinds: Iterable[RecordType[Any]], service: str) -> Observer | None:
    """Create what the settings ask for; None where they ask for nothing.

    ``service``: the name of the service in traces. Raises ``Misconfigured``.
    """
    endpoint, slow_ms = settings.tracing_endpoint, settings.slow_query_ms
    if not (settings.has_metrics or endpoint or slow_ms):
        return None
    return Observer(
        Meters() if settings.has_metrics else None,
        Tracer(endpoint, settings.tracing_ratio, service) if endpoint else None,
        SlowQueries(slow_ms / 1000, kinds) if slow_ms else None,
    )


@asynccontextmanager
async def close_observer(observer: Observer | None) -> AsyncIterator[None]:
    """Send at the end of the block what waits to be sent, for a few seconds at most."""
    try:
        yield
    finally:
        if observer is not None and observer.tracer is not None:
            await asyncio.to_thread(observer.tracer.close)
