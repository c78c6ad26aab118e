"""runtime.cli.progress: what people see while they wait."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from runtime.cli import progress
from runtime.cli.progress import BYTES, showing


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time, as the test sets it."""
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def capture_output(monkeypatch: pytest.MonkeyPatch, *, is_terminal: bool) -> io.StringIO:
    text = io.StringIO()
    console = Console(file=text, force_terminal=is_terminal, color_system=None, width=200, soft_wrap=True)
    monkeypatch.setattr(progress, "open_error_output", lambda: console)
    return text


def test_elsewhere_than_on_a_terminal_a_line_comes_now_and_then(
    monkeypatch: pytest.MonkeyPatch, clock: list[float]
) -> None:
    text = capture_output(monkeypatch, is_terminal=False)
    with showing("storing", 5000) as bar:
        for seconds, count in ((1, 100), (5, 1000), (6, 1500), (10, 4000), (12, 5000)):
            clock[0] = 100 + seconds
            bar.done(count)
    assert text.getvalue().splitlines() == [
        "storing: 1,000 of 5,000 rows, 200 rows/s, 20 s left",
        "storing: 4,000 of 5,000 rows, 400 rows/s, 2 s left",
    ]


def test_what_was_done_before_makes_no_pace(monkeypatch: pytest.MonkeyPatch, clock: list[float]) -> None:
    text = capture_output(monkeypatch, is_terminal=False)
    with showing("storing", 5000, before=4000) as bar:
        clock[0] += 5
        bar.done(4500)
    assert text.getvalue() == "storing: 4,500 of 5,000 rows, 100 rows/s, 5 s left\n"


def test_bytes_are_told_as_such(monkeypatch: pytest.MonkeyPatch, clock: list[float]) -> None:
    text = capture_output(monkeypatch, is_terminal=False)
    with showing("reading x.csv", 20_000_000, BYTES) as bar:
        clock[0] += 5
        bar.done(10_000_000)
    assert text.getvalue() == "reading x.csv: 10.0 MB of 20.0 MB, 2.0 MB/s, 5 s left\n"


def test_a_terminal_has_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    text = capture_output(monkeypatch, is_terminal=True)
    with showing("storing [old] rows[/x]\x1b]0;", 5000) as bar:
        bar.done(5000)
    last = [line for line in text.getvalue().splitlines() if "storing" in line][-1]
    assert r"storing [old] rows[/x]\x1b]0; " in last
    assert "5,000 of 5,000 rows" in last
    assert "rows/s" in last
    assert "━" in last
