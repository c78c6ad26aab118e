"""What is counted and measured, as Prometheus has it.

No label has a value that callers choose: methods and commands are from a list, routes are templates of the
document, statuses and errors are those of the service. Tenants, users, addresses and records are in none.
The library is imported by ``Meters`` alone, and so after ``PROMETHEUS_MULTIPROC_DIR`` is set: with it, all
workers write into files of that folder, and what is read is their sum (``exposition.py``).
"""

from collections.abc import Mapping
from typing import Any, Final, Literal

METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
_COMMANDS: Final = frozenset(
    {
        *("abortTransaction", "aggregate", "commitTransaction", "count", "delete", "distinct"),
        *("find", "findAndModify", "getMore", "insert", "update"),
    }
)
OTHER: Final = "other"

ON_REFUSAL: Final = "recordsmith.on_refusal"
"""Member of the lifespan's state: gets the code of each error with which the server refuses a request."""

_MOST_NOTED: Final = 200
"""Requests that are noted before they are passed on: less than a millisecond's work."""

_COUNTERS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "requests": ("Requests by route template.", ("method", "route", "status")),
    "store_command_failures": ("Store commands that failed.", ("command",)),
    "import_rows": ("Rows of CSV imports, by what became of them.", ("outcome",)),
    "login_failures": ("Logins that failed or were throttled.", ("reason",)),
    "server_refusals": ("Requests refused before the application saw them, by error.", ("code",)),
    "quota_refusals": ("Requests refused for a limit of requests.", ("policy",)),
}
_HISTOGRAMS: Final[Mapping[str, tuple[str, tuple[str, ...], tuple[float, ...]]]] = {
    "request_seconds": (
        "Duration of requests.",
        ("method", "route"),
        (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0),
    ),
    "store_command_seconds": (
        "Duration of store commands.",
        ("command",),
        (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0),
    ),
    "event_loop_lag_seconds": (
        "How much later than due a task of a worker runs.",
        (),
        (0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0),
    ),
}
_GAUGES: Final[Mapping[str, tuple[str, tuple[str, ...], Literal["livesum", "livemax"]]]] = {
    "store_connections": ("Connections to the store.", ("state",), "livesum"),
    "admission_requests": ("Requests at the gate to the store.", ("state",), "livesum"),
    "admission_limit": ("Requests that may use the store at once.", (), "livesum"),
    "outbox_waiting": ("Deliveries of webhooks that wait.", (), "livemax"),
}
"""Name → help, labels, and how the states of workers make one: their sum, or the largest."""

Refusal = Literal["failed", "throttled"]
"""How a login ended that did not succeed."""


class Meters:
    """The meters of one process."""

    def __init__(self) -> None:
        from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, metrics

        without_times: Any = metrics.disable_created_metrics
        without_times()  # when a series began: one more for each, which nobody reads
        self.registry = CollectorRegistry()
        common: Any = {"namespace": "recordsmith", "registry": self.registry}
        self._counters = {
            name: Counter(name, text, labels, **common) for name, (text, labels) in _COUNTERS.items()
        }
        self._histograms = {
            name: Histogram(name, text, labels, buckets=bounds, **common)
            for name, (text, labels, bounds) in _HISTOGRAMS.items()
        }
        self._gauges = {
            name: Gauge(name, text, labels, multiprocess_mode=mode, **common)
            for name, (text, labels, mode) in _GAUGES.items()
        }
        self._of_answers: dict[tuple[str, str, int], tuple[Any, Any]] = {}
        self._of_commands: dict[str, Any] = {}
        self._requests: list[tuple[str, str, int, float]] = []
        self._commands: list[tuple[str, float, bool]] = []

    def count_request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request; ``status`` is 0 where its caller had gone before it was answered.

        ``method`` is one of ``METHODS`` or ``OTHER``.
        """
        self._requests.append((method, route, status, seconds))
        if len(self._requests) >= _MOST_NOTED:
            self.flush()

    def count_command(self, name: str, seconds: float, *, has_failed: bool) -> None:
        self._commands.append((name, seconds, has_failed))
        if len(self._commands) >= _MOST_NOTED:
            self.flush()

    def flush(self) -> None:
        """Pass on what is noted of requests and commands.

        They are passed on together: one by one, between other work, it takes several times as long.
        """
        requests, self._requests = self._requests, []
        for method, route, status, seconds in requests:
            found = self._of_answers.get((method, route, status))
            if found is None:
                found = (
                    self._counters["requests"].labels(method, route, str(status)),
                    self._histograms["request_seconds"].labels(method, route),
                )
                self._of_answers[method, route, status] = found
            found[0].inc()
            found[1].observe(seconds)
        commands, self._commands = self._commands, []
        for name, seconds, has_failed in commands:
            self._pass_on_command(name if name in _COMMANDS else OTHER, seconds, has_failed)

    def _pass_on_command(self, name: str, seconds: float, has_failed: bool) -> None:
        meter = self._of_commands.get(name)
        if meter is None:
            meter = self._of_commands[name] = self._histograms["store_command_seconds"].labels(name)
        meter.observe(seconds)
        if has_failed:
            self._counters["store_command_failures"].labels(name).inc()

    def count_rows(self, numbers: Mapping[str, int]) -> None:
        """Count rows of an import, by outcome."""
        for outcome, number in numbers.items():
            if number:
                self._counters["import_rows"].labels(outcome).inc(number)

    def count_login(self, reason: Refusal) -> None:
        """Count a login that did not succeed."""
        self._counters["login_failures"].labels(reason).inc()

    def count_refusal(self, policy: str) -> None:
        """Count a request that is beyond the limit of a policy."""
        self._counters["quota_refusals"].labels(policy).inc()

    def count_server_refusal(self, code: str) -> None:
        """Count a request that the server refused with an error of the service."""
        self._counters["server_refusals"].labels(code).inc()

    def observe_lag(self, seconds: float) -> None:
        """Record how late the event loop is."""
        self._histograms["event_loop_lag_seconds"].observe(seconds)

    def show_gate(self, taken: int, waiting: int, limit: int) -> None:
        """Show how many requests use the store, how many wait for that, and how many may use it."""
        places = self._gauges["admission_requests"]
        places.labels("admitted").set(taken)
        places.labels("waiting").set(waiting)
        self._gauges["admission_limit"].set(limit)

    def show_connections(self, used: int, idle: int) -> None:
        connections = self._gauges["store_connections"]
        connections.labels("used").set(used)
        connections.labels("idle").set(idle)

    def show_outbox(self, waiting: int) -> None:
        """Show how many deliveries of webhooks wait."""
        self._gauges["outbox_waiting"].set(waiting)
