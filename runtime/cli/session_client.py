"""Import sessions of the service, step by step: opened with a file, followed, committed.

Every step may be sent again after a broken connection. A commit continues where it was, so it
is sent again as long as the session makes progress.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import httpx2
import orjson

from runtime.cli.account import FailedRow
from runtime.cli.api import Api, Refused, Unreachable
from runtime.cli.content import Content, encode_form
from runtime.cli.csv_source import CsvSource, name_options
from runtime.cli.output import CommandFailed, ExitCode

Facts = dict[str, Any]
"""The members of an answer, or of an event."""

_EVENT: Final = "data: "


@dataclass(frozen=True, slots=True)
class SessionClient:
    """The sessions of one record type."""

    api: Api
    base_path: str

    async def open(self, source: CsvSource, sent: Callable[[int], None]) -> Facts:
        """Send a file and return its analysis. ``sent`` is called with the number of bytes sent.

        Raises ``CommandFailed`` (usage) for a file that cannot be read so.
        """
        content = encode_form(replace(source.content, pieces=lambda: _count_sent(source.content, sent)))
        path = f"{self.base_path}/{source.route}"
        try:
            found: Facts = (await self.api.post(path, content, source.parameters)).body
        except Refused as refusal:
            if refusal.status != 400:
                raise
            message = f"{source.name}: {name_options(refusal.message)}"
            raise CommandFailed("import.file", message, ExitCode.USAGE) from refusal
        return found

    async def commit(self, session_id: str) -> Facts:
        """Store the valid rows and return the result. Raises ``Unreachable`` when it cannot continue."""
        reached = -1
        while True:
            try:
                done: Facts = (await self.api.post(self._build_path(session_id, "commit"))).body
            except Unreachable:
                now = (await self.read_state(session_id))["doneRows"]
                if now <= reached:
                    raise
                reached = now
            else:
                return done

    async def read_state(self, session_id: str) -> Facts:
        return await self.api.take(self._build_path(session_id, "progress"), _read_first_event)

    async def follow(self, session_id: str, take_step: Callable[[Facts], None]) -> None:
        """Call ``take_step`` with each step of a session until it ends."""
        while True:
            try:
                return await self.api.take(
                    self._build_path(session_id, "progress"), lambda answer: _read_events(answer, take_step)
                )
            except Refused:
                return None
            except Unreachable:
                continue

    async def list_rows(self, session_id: str, query: Mapping[str, str]) -> Facts:
        """Return a page of the analysed rows."""
        page: Facts = await self.api.get(self._build_path(session_id, "rows"), query)
        return page

    async def list_failures(self, session_id: str, limit: int) -> list[FailedRow]:
        """Return what is wrong with the first rows that have errors."""
        page = await self.list_rows(session_id, {"onlyErrors": "true", "limit": str(limit)})
        return [_read_failure(row, error) for row in page["rows"] for error in row["errors"]]

    async def save_errors(self, session_id: str, file: Path) -> None:
        """Save the rows with errors, and what is wrong with each, as a CSV file."""

        async def save(answer: httpx2.Response) -> None:
            with file.open("wb") as stream:
                async for piece in answer.aiter_bytes():
                    stream.write(piece)

        try:
            await self.api.take(self._build_path(session_id, "errors"), save)
        except OSError as error:
            raise CommandFailed("import.report", f"{file} cannot be written: {error.strerror}") from error

    async def discard(self, session_id: str) -> None:
        """End a session; a commit that is running stops."""
        await self.api.delete(self._build_path(session_id))

    def _build_path(self, session_id: str, below: str = "") -> str:
        return f"{self.base_path}/csv/session/{session_id}/{below}".rstrip("/")


def _count_sent(content: Content, sent: Callable[[int], None]) -> Iterator[bytes]:
    count = 0
    for piece in content.pieces():
        yield piece
        count += len(piece)
        sent(count)


async def _read_events(answer: httpx2.Response, take_step: Callable[[Facts], None]) -> None:
    async for line in answer.aiter_lines():
        if line.startswith(_EVENT):
            take_step(orjson.loads(line.removeprefix(_EVENT)))


async def _read_first_event(answer: httpx2.Response) -> Facts:
    async for line in answer.aiter_lines():
        if line.startswith(_EVENT):
            found: Facts = orjson.loads(line.removeprefix(_EVENT))
            return found
    raise httpx2.RemoteProtocolError("the progress ended before it began")


def _read_failure(row: Facts, error: Facts) -> FailedRow:
    return FailedRow(
        row["rowNumber"],
        row.get("refName"),
        error["code"],
        error["message"],
        error.get("column") or error.get("field"),
        error.get("value"),
        error.get("suggestion"),
    )
