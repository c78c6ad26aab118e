"""The log of slow store commands: what is in a line, and that a slow store does not fill the log."""

from __future__ import annotations

from time import monotonic

from generated.record_types import CATALOG
from runtime.observe import Observer
from runtime.observe.slow_queries import SlowQueries
from tests.log_lines import capture_logs

BODY = {"find": "carriers", "filter": {"name": "a value"}, "lsid": {"id": "a session"}}


def test_a_slow_command_is_a_line_without_values() -> None:
    observer = Observer(None, None, SlowQueries(1.0, CATALOG))
    with capture_logs() as lines:
        observer.watch_command(BODY, monotonic() - 2.5, None)
        observer.watch_command(BODY, monotonic(), None)
    (line,) = lines
    assert 2500 <= line.pop("milliseconds") < 60_000
    assert line == {
        "event": "store.slow", "log_level": "warning", "command": "find", "collection": "carriers", "shape": "{name: ?}",
    }  # fmt: skip


def test_the_continuation_of_a_cursor_names_its_collection() -> None:
    with capture_logs() as lines:
        SlowQueries(1.0, CATALOG).report({"getMore": 5, "collection": "carriers"}, 2.0, 10.0)
        SlowQueries(1.0, CATALOG).report({"commitTransaction": 1}, 2.0, 10.0)
    assert [(line["command"], line["collection"]) for line in lines] == [
        ("getMore", "carriers"),
        ("commitTransaction", None),
    ]


def test_a_slow_store_does_not_fill_the_log() -> None:
    slow = SlowQueries(1.0, CATALOG)
    with capture_logs() as lines:
        for _command in range(100):
            slow.report(BODY, 2.0, 10.5)
        slow.report(BODY, 2.0, 11.5)
    assert len(lines) == 21
    assert [line.get("left_out") for line in lines] == [None] * 20 + [80]
