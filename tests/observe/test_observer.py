"""What settings ask for: nothing by default, and never half of something."""

from __future__ import annotations

import sys

import pytest

from runtime.errors import Misconfigured
from runtime.observe import open_observer
from runtime.settings import Settings


def test_by_default_nothing_is_watched() -> None:
    assert open_observer(Settings.read({}), (), "Service") is None


@pytest.mark.parametrize(
    ("environment", "parts"),
    [
        ({"METRICS_TOKEN": "sixteen or more of them"}, (True, False, False)),
        ({"METRICS_PORT": "9100"}, (True, False, False)),
        ({"LOG_SLOW_QUERY_MS": "100"}, (False, False, True)),
    ],
)
def test_each_setting_asks_for_its_part(environment: dict[str, str], parts: tuple[bool, ...]) -> None:
    found = open_observer(Settings.read(environment), (), "Service")
    assert found is not None
    assert tuple(part is not None for part in (found.meters, found.tracer, found.slow)) == parts


def test_traces_without_their_library_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.sdk.trace", None)
    settings = Settings.read({"TRACING_ENDPOINT": "http://127.0.0.1:4318"})
    with pytest.raises(Misconfigured, match=r"install recordsmith\[tracing\]"):
        open_observer(settings, (), "Service")


@pytest.mark.parametrize(
    "environment",
    [
        {"METRICS_TOKEN": "short"}, {"METRICS_PORT": "70000"}, {"TRACING_ENDPOINT": "collector:4318"},
        {"TRACING_ENDPOINT": "http://user:secret@collector"}, {"TRACING_ENDPOINT": "http://collector/?token=x"},
        {"TRACING_RATIO": "1.5"}, {"LOG_SLOW_QUERY_MS": "-1"}, {"LIMITS_REQUESTS_PER_USER": "-1"},
        {"LIMITS_REQUESTS_WINDOW_SECONDS": "0"}, {"SERVICE_DRAIN_SECONDS": "601"},
    ],
    ids=str,
)  # fmt: skip
def test_what_cannot_be_meant_is_refused(environment: dict[str, str]) -> None:
    with pytest.raises(Misconfigured) as refused:
        Settings.read(environment)
    assert "secret" not in str(refused.value)
    assert "short" not in str(refused.value).replace("too short", "").replace("too_short", "")
