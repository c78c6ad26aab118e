"""A collector of traces (OTLP over HTTP) on this machine, which keeps what it is sent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

from google.protobuf.json_format import MessageToDict
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest


@dataclass
class Span:
    name: str
    trace_id: str
    span_id: str
    parent: str
    kind: str
    failed: bool
    facts: dict[str, Any]


@dataclass
class Collector:
    endpoint: str
    spans: list[Span] = field(default_factory=list)
    services: set[str] = field(default_factory=set)
    bytes: bytes = b""


@contextmanager
def collecting() -> Iterator[Collector]:
    found = Collector("")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            found.bytes += body
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                found.services |= {
                    one.value.string_value
                    for one in resource.resource.attributes
                    if one.key == "service.name"
                }
                found.spans += [_read(span) for scope in resource.scope_spans for span in scope.spans]
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_words: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        found.endpoint = f"http://127.0.0.1:{server.server_port}"
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield found
        finally:
            server.shutdown()
            thread.join()


def _read(span: Any) -> Span:
    told = MessageToDict(span)
    facts = {one["key"]: next(iter(one["value"].values())) for one in told.get("attributes", ())}
    failed = told.get("status", {}).get("code") == "STATUS_CODE_ERROR"
    return Span(
        span.name,
        span.trace_id.hex(),
        span.span_id.hex(),
        span.parent_span_id.hex(),
        told["kind"],
        failed,
        facts,
    )
