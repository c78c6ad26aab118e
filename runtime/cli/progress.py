"""How far a long command is: a bar on a terminal, a line now and then elsewhere. On standard error."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final, Protocol

from rich.console import Console
from rich.filesize import decimal
from rich.progress import BarColumn, TaskID, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from runtime.cli.output import aside

_SECONDS_BETWEEN_LINES = 5.0


@dataclass(frozen=True, slots=True)
class Unit:
    """The format of amounts: ``1,200 of 5,000 rows``."""

    amount: Callable[[int], str]
    noun: str = ""


ROWS: Final = Unit("{:,}".format, " rows")
BYTES: Final = Unit(decimal)


class Progress(Protocol):
    """A receiver of how much is done."""

    def done(self, count: int) -> None: ...


@contextmanager
def showing(title: str, total: int, unit: Unit = ROWS, before: int = 0) -> Iterator[Progress]:
    """Progress towards ``total``, as long as the block lasts. ``before``: what was done already."""
    console = aside()
    if not console.is_terminal:
        yield _Lines(console, title, _Pace(total, unit, before))
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[amounts]}"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=console) as bar:
        yield _Bar(
            bar, bar.add_task(title, total=total, completed=before, amounts=""), _Pace(total, unit, before)
        )


class _Bar:
    def __init__(self, bar: Bar, task: TaskID, pace: _Pace) -> None:
        self._bar = bar
        self._task = task
        self._pace = pace

    def done(self, count: int) -> None:
        self._bar.update(self._task, completed=count, amounts=self._pace.describe(count))


class _Lines:
    def __init__(self, console: Console, title: str, pace: _Pace) -> None:
        self._console = console
        self._title = title
        self._pace = pace
        self._last = pace.begun

    def done(self, count: int) -> None:
        now = time.monotonic()
        if now - self._last < _SECONDS_BETWEEN_LINES:
            return
        self._last = now
        state = f"{self._pace.describe(count)}, {self._pace.left(count):.0f} s left"
        self._console.print(f"{self._title}: {state}")


class _Pace:
    """How fast it goes."""

    def __init__(self, total: int, unit: Unit, before: int) -> None:
        self._total = total
        self._unit = unit
        self._before = before
        self.begun = time.monotonic()

    def describe(self, count: int) -> str:
        """Describe the progress: ``1,200 of 5,000 rows, 800 rows/s``."""
        amount, noun = self._unit.amount, self._unit.noun
        of = f"{amount(count)} of {amount(self._total)}{noun}"
        return f"{of}, {amount(round(self._rate(count)))}{noun}/s"

    def left(self, count: int) -> float:
        """Seconds, at this rate."""
        return (self._total - count) / max(self._rate(count), 0.001)

    def _rate(self, count: int) -> float:
        return (count - self._before) / max(time.monotonic() - self.begun, 0.001)
