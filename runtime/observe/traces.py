"""Traces by OpenTelemetry: a span of each traced request, and of each store command in it.

Which requests are traced is decided here and not by the library, whose spans cost more than the rest of a
small request even where nothing records them: for most requests all of it is one random number. A caller's
``traceparent`` (W3C Trace Context) is continued; whether it says that its trace is recorded counts only where
a trusted proxy sent it, since any caller could have all requests traced otherwise.
"""

import random
import re
import time
from collections.abc import Iterable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final

from runtime.errors import Misconfigured

Headers = Iterable[tuple[bytes, bytes]]

_MOST_COMMANDS: Final = 200
"""Spans of commands in one trace: an import has thousands."""

_PARENT: Final = re.compile(rb"00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}")
_RANDOM: Final = random.SystemRandom()
_FLUSH_MS: Final = 2000
_EXPORT_SECONDS: Final = 2
_trace_of_context: ContextVar["Trace | None"] = ContextVar("trace", default=None)


@dataclass(slots=True, eq=False)
class Trace:
    """A request that is traced."""

    span: Any
    token: Any
    commands: int = 0
    is_over: bool = False

    @property
    def id(self) -> str:
        """The id of the trace, as logs name it."""
        return f"{self.span.get_span_context().trace_id:032x}"


class Tracer:
    """Traces a part of the requests, and sends the traces to ``endpoint``.

    Raises ``Misconfigured`` where the library is not installed.
    """

    def __init__(self, endpoint: str, ratio: float, service: str) -> None:
        try:
            from opentelemetry import context, trace
            from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
            from opentelemetry.sdk.resources import Resource
            from opentelemetry.sdk.trace import TracerProvider
            from opentelemetry.sdk.trace.export import BatchSpanProcessor
            from opentelemetry.sdk.trace.sampling import ALWAYS_ON
            from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
        except ImportError as error:
            raise Misconfigured(
                "tracing.endpoint is set, but OpenTelemetry is not installed: install recordsmith[tracing]"
            ) from error
        exporter = OTLPSpanExporter(endpoint=f"{endpoint}/v1/traces", timeout=_EXPORT_SECONDS)
        self._provider = TracerProvider(
            sampler=ALWAYS_ON, resource=Resource.create({"service.name": service}), shutdown_on_exit=False
        )
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("recordsmith")
        self._trace, self._context = trace, context
        self._propagator = TraceContextTextMapPropagator()
        self._ratio = ratio

    def begin(self, headers: Headers, *, is_trusted: bool) -> Trace | None:
        """Begin the span of a request, if it is traced. ``is_trusted``: a trusted proxy sent it."""
        is_recorded = _read_decision(headers) if is_trusted else None
        if is_recorded is None:
            is_recorded = _RANDOM.random() < self._ratio
        if not is_recorded:
            return None
        span = self._tracer.start_span("request", self._extract(headers), kind=self._trace.SpanKind.SERVER)
        trace = Trace(span, self._context.attach(self._trace.set_span_in_context(span)))
        _trace_of_context.set(trace)
        return trace

    def _extract(self, headers: Headers) -> Any:
        """Return the context that a ``traceparent`` names; an empty one without."""
        sent = _read_parent(headers)
        carrier = {} if sent is None else {"traceparent": sent.decode("ascii")}
        return self._propagator.extract(carrier, context=self._context.Context())

    def end(self, trace: Trace, route: str, method: str, status: int, request_id: str) -> None:
        span, trace.is_over = trace.span, True
        span.update_name(f"{method} {route}")
        span.set_attributes(
            {
                "http.request.method": method,
                "http.route": route,
                "http.response.status_code": status,
                "recordsmith.request_id": request_id,
                "recordsmith.store_commands": trace.commands,
            }
        )
        if status >= 500:
            span.set_status(self._trace.StatusCode.ERROR)
            span.set_attribute("error.type", str(status))
        span.end()
        self._context.detach(trace.token)
        _trace_of_context.set(None)

    def is_tracing(self) -> bool:
        """Whether the request that is under way is traced."""
        return _trace_of_context.get() is not None

    def add_command(
        self, name: str, collection: str | None, seconds: float, error: BaseException | None
    ) -> None:
        """Add the span of a store command that has just ended, if its request is traced."""
        trace = _trace_of_context.get()
        if trace is None or trace.is_over:
            return
        trace.commands += 1
        if trace.commands > _MOST_COMMANDS:
            return
        ended = time.time_ns()
        facts = {"db.system.name": "mongodb", "db.operation.name": name}
        if collection is not None:
            facts["db.collection.name"] = collection
        if error is not None:
            facts["error.type"] = type(error).__name__
        span = self._tracer.start_span(
            f"{name} {collection}" if collection else name,
            self._trace.set_span_in_context(trace.span),
            kind=self._trace.SpanKind.CLIENT,
            attributes=facts,
            start_time=ended - int(seconds * 1e9),
        )
        if error is not None:
            span.set_status(self._trace.StatusCode.ERROR)
        span.end(ended)

    def close(self) -> None:
        """Send what waits, for a few seconds at most; blocks."""
        self._provider.force_flush(_FLUSH_MS)
        self._provider.shutdown()


def _read_parent(headers: Headers) -> bytes | None:
    """Return the ``traceparent`` that came, if it is one and came once."""
    sent = [value for name, value in headers if name == b"traceparent"]
    return sent[0] if len(sent) == 1 and _PARENT.fullmatch(sent[0]) else None


def _read_decision(headers: Headers) -> bool | None:
    """Return whether the caller says that its trace is recorded; None where it says nothing."""
    sent = _read_parent(headers)
    return None if sent is None else bool(int(sent[53:55], 16) & 1)
