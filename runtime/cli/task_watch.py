"""Following a completion task group: its stream of events says when to ask how far it is.

The counts are the service's own, so tasks that were completed before the stream began count as well. A stream
that breaks is opened again behind its last event.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, TypeAlias
from urllib.parse import quote

import httpx2
from rich.console import Console
from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as Bar

from runtime.cli.api import Api
from runtime.cli.output import open_error_output
from runtime.controls import escape_text
from runtime.model.counting import count_things

Progress: TypeAlias = dict[str, Any]
"""The counts of a group, as ``…/progress`` has them."""

Show: TypeAlias = Callable[[Progress], None]

_GROUPS: Final = "/integration/completionTaskGroup"
_LEAST_SECONDS: Final = 0.3
"""Between two questions how far the group is, however many tasks are completed."""

_PAUSE_SECONDS: Final = 1.0
"""Until a stream that has ended is opened again."""


class TaskWatch:
    """One group, as one command follows it."""

    def __init__(self, api: Api, group: str, show: Show) -> None:
        self._api = api
        self._path = quote(group, safe="")
        self._show = show
        self._last_id: str | None = None
        self._event_id: str | None = None
        self._is_complete = False
        self._news = asyncio.Event()

    async def run(self) -> Progress:
        """Show the progress until the group is complete; return the last. Raises ``CommandFailed``."""
        self._news.set()
        showing = asyncio.create_task(self._keep_showing())
        try:
            while not self._is_complete:
                await self._follow(showing)
        finally:
            showing.cancel()
            await asyncio.gather(showing, return_exceptions=True)
        return await self._read()

    async def _follow(self, showing: asyncio.Task[None]) -> None:
        """Read one stream to its end, behind the last event of the one before."""
        headers = {} if self._last_id is None else {"Last-Event-ID": self._last_id}
        path = f"{_GROUPS}/subscribe/{self._path}"
        await self._api.take(path, self._take_events, headers=headers)
        if showing.done():
            showing.result()  # why nothing is shown any more
        if not self._is_complete:
            await asyncio.sleep(_PAUSE_SECONDS)

    async def _take_events(self, answer: httpx2.Response) -> None:
        self._event_id = self._last_id
        try:
            async for line in answer.aiter_lines():
                self._take_line(line)
        except httpx2.TransportError:  # the next stream goes on behind the last event of this one
            return

    def _take_line(self, line: str) -> None:
        name, _, value = line.partition(": ")
        if name == "id":
            self._event_id = value
        elif name == "data":
            self._is_complete = self._is_complete or value.startswith("group:")
            self._news.set()
        elif not line:  # the end of an event: one that breaks off before comes again
            self._last_id = self._event_id

    async def _keep_showing(self) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            await self._read()
            await asyncio.sleep(_LEAST_SECONDS)

    async def _read(self) -> Progress:
        progress: Progress = await self._api.get(f"{_GROUPS}/id/{self._path}/progress")
        self._show(progress)
        return progress


@contextmanager
def showing_tasks(title: str) -> Iterator[Show]:
    """Show the progress of a group as long as the block lasts. On standard error."""
    console = open_error_output()
    if not console.is_terminal:
        yield _Lines(console).show
        return
    counts = TextColumn("{task.fields[counts]}")
    with Bar(TextColumn("{task.description}", markup=False), BarColumn(), counts, console=console) as bar:
        task = bar.add_task(escape_text(title), total=None, counts="")

        def show(progress: Progress) -> None:
            bar.update(
                task, total=progress["total"], completed=_count_done(progress), counts=describe(progress)
            )

        yield show


class _Lines:
    """A line for each change."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._last = ""

    def show(self, progress: Progress) -> None:
        text = describe(progress)
        if text != self._last:
            self._last = text
            self._console.print(text)


def _count_done(progress: Progress) -> int:
    return int(progress["success"] + progress["failed"])


def describe(progress: Progress) -> str:
    """Describe the progress, as in ``3 of 5 tasks, 1 running, 1 failed``."""
    text = f"{_count_done(progress):,} of {count_things(progress['total'], 'task')}"
    return text + "".join(f", {progress[name]:,} {name}" for name in ("running", "failed") if progress[name])
