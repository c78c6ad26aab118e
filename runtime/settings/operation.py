"""What operators watch: metrics, traces, slow queries."""

from typing import Annotated

from pydantic import AfterValidator, Field, SecretStr

from runtime.settings.checks import check_endpoint
from runtime.settings.row import Rows, row


class OperationSettings(Rows):
    """What operators watch: metrics, traces, slow queries."""

    metrics_token: Annotated[SecretStr, Field(min_length=16)] | None = row(
        "metrics.token", None, "Offer GET /metrics to holders of this bearer token; 16 characters at least"
    )
    metrics_port: Annotated[int, Field(ge=0, le=65535)] = row(
        "metrics.port", 0, "Port on which `serve` offers /metrics of all its workers to everybody; 0: none"
    )
    metrics_host: str = row("metrics.host", "127.0.0.1", "Address on which that port is")
    tracing_endpoint: Annotated[str, AfterValidator(check_endpoint)] | None = row(
        "tracing.endpoint", None, "Where traces are sent (OTLP over HTTP), as in http://collector:4318"
    )
    tracing_ratio: Annotated[float, Field(ge=0, le=1)] = row(
        "tracing.ratio", 0.01, "Which part of the requests is traced"
    )
    slow_query_ms: Annotated[int, Field(ge=0)] = row(
        "log.slow-query-ms", 0, "Log store commands that take longer, with the shape of their filter; 0: none"
    )
    drain_seconds: Annotated[int, Field(ge=0, le=600)] = row(
        "service.drain-seconds",
        0,
        "How long a worker that shall end goes on while /ready is 503, so that a balancer finds out",
    )

    @property
    def has_metrics(self) -> bool:
        """Whether somebody may read metrics."""
        return self.metrics_token is not None or bool(self.metrics_port)
