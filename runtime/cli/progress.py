"""How far a long command is: a bar on a terminal, a line now and then elsewhere. On standard error."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from runtime.cli.output import aside

_SECONDS_BETWEEN_LINES = 5.0


class Progress(Protocol):
    """Told how many rows are done."""

    def done(self, count: int) -> None: ...


@contextmanager
def showing(title: str, total: int) -> Iterator[Progress]:
    """Progress of ``total`` rows, as long as the block lasts."""
    console = aside()
    if not console.is_terminal:
        yield _Lines(console, title, total)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[rate]} rows/s"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=console) as bar:
        yield _Bar(bar, title, total)


class _Bar:
    def __init__(self, bar: Bar, title: str, total: int) -> None:
        self._bar = bar
        self._task = bar.add_task(title, total=total, rate="-")
        self._begun = time.monotonic()

    def done(self, count: int) -> None:
        self._bar.update(self._task, completed=count, rate=_rate(count, self._begun))


class _Lines:
    def __init__(self, console: Console, title: str, total: int) -> None:
        self._console = console
        self._title = title
        self._total = total
        self._begun = self._last = time.monotonic()

    def done(self, count: int) -> None:
        now = time.monotonic()
        if now - self._last < _SECONDS_BETWEEN_LINES:
            return
        self._last = now
        left = (now - self._begun) / max(count, 1) * (self._total - count)
        said = f"{count} of {self._total}, {_rate(count, self._begun)} rows/s, {left:.0f} s left"
        self._console.print(f"{self._title}: {said}", markup=False)


def _rate(count: int, begun: float) -> str:
    return f"{count / max(time.monotonic() - begun, 0.001):,.0f}"
