"""How far a long command is: a bar on a terminal, a line now and then elsewhere. On standard error."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from rich.console import Console
from rich.filesize import decimal
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from runtime.cli.output import open_error_output
from runtime.controls import escape_text

_SECONDS_BETWEEN_LINES = 5.0


@dataclass(frozen=True, slots=True)
class Unit:
    """The format of amounts: ``1,200 of 5,000 rows``."""

    amount: Callable[[int], str]
    noun: str = ""


ROWS: Final = Unit("{:,}".format, " rows")
BYTES: Final = Unit(decimal)


class Progress:
    """A receiver of how much is done. ``show``: gets the count, the amounts as text, and the seconds left."""

    def __init__(self, total: int, unit: Unit, before: int, show: Callable[[int, str, float], None]) -> None:
        self._total = total
        self._unit = unit
        self._before = before
        self._show = show
        self._begun = time.monotonic()
        self._added = 0

    def add(self, count: int) -> None:
        """Show that so much more is done."""
        self._added += count
        self.done(self._added)

    def done(self, count: int) -> None:
        """Show ``1,200 of 5,000 rows, 800 rows/s``; a total of 0 is not known."""
        amount, noun = self._unit.amount, self._unit.noun
        rate = (count - self._before) / max(time.monotonic() - self._begun, 0.001)
        whole = f" of {amount(self._total)}" if self._total else ""
        of = f"{amount(count)}{whole}{noun}, {amount(round(rate))}{noun}/s"
        self._show(count, of, (self._total - count) / rate if rate > 0 else 0)


@contextmanager
def showing(title: str, total: int, unit: Unit = ROWS, before: int = 0) -> Iterator[Progress]:
    """Show progress towards ``total``, as long as the block lasts. ``before``: what was done already."""
    console = open_error_output()
    if not console.is_terminal:
        yield Progress(total, unit, before, _Lines(console, title).show)
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[amounts]}"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=console) as bar:
        task = bar.add_task(escape_text(title), total=total, completed=before, amounts="")

        def show(count: int, amounts: str, _left: float) -> None:
            bar.update(task, completed=count, amounts=amounts)

        yield Progress(total, unit, before, show)


class _Lines:
    """A line now and then."""

    def __init__(self, console: Console, title: str) -> None:
        self._console = console
        self._title = title
        self._last = time.monotonic()

    def show(self, _count: int, amounts: str, left: float) -> None:
        now = time.monotonic()
        if now - self._last >= _SECONDS_BETWEEN_LINES:
            self._last = now
            rest = f", {left:.0f} s left" if left > 0 else ""
            self._console.print(f"{self._title}: {amounts}{rest}")
