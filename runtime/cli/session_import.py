"""A CSV file through an import session: analysed, then committed or discarded, with an account of every row.

Valid rows are stored and the others reported, unless ``--all-or-nothing`` or ``--dry-run`` says otherwise.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from runtime.cli.account import MOST_SHOWN, Account
from runtime.cli.api import Unreachable
from runtime.cli.csv_source import CsvSource
from runtime.cli.output import CommandFailed, aside
from runtime.cli.progress import BYTES, Progress, showing
from runtime.cli.session_client import Facts, SessionClient

INTERRUPTED: Final = "import.interrupted"


@dataclass(frozen=True, slots=True)
class Terms:
    """What is stored: ``dry_run`` nothing, ``all_or_nothing`` nothing when a row has errors.

    ``report``: where the rows with errors go. ``words``: of a command line about the same records.
    """

    words: str
    dry_run: bool = False
    all_or_nothing: bool = False
    report: Path | None = None


@dataclass(frozen=True, slots=True)
class SessionImport:
    """The import of one file, or of a session that was begun before.

    An error that breaks off a commit is recorded in the account; an earlier one is raised as
    ``CommandFailed``.
    """

    client: SessionClient
    terms: Terms
    account: Account

    async def run(self, source: CsvSource) -> None:
        """Import a file. An interrupt before the commit leaves nothing behind."""
        try:
            found = await self._analyse(source)
        except asyncio.CancelledError:
            self._interrupted("interrupted while the file was read: nothing was stored")
            raise
        errors = found["errorRows"]
        if self.terms.dry_run or (self.terms.all_or_nothing and errors):
            await self._discard_session(found["sessionId"])
            return
        if errors:
            aside().print(f"{errors:,} of {self.account.total:,} rows have errors and are skipped")
        await self._commit(found["sessionId"], errors)

    async def resume(self, session_id: str) -> None:
        """Go on with a session where its commit was."""
        found = await self.client.state(session_id)
        self._note(found)
        await self._commit(session_id, found["doneRows"])

    async def discard(self, session_id: str) -> None:
        """End a session; its counts stay those of what is stored."""
        self._note(await self.client.state(session_id))
        await self.client.discard(session_id)
        self.account.session, self.account.status = session_id, "DISCARDED"

    async def _analyse(self, source: CsvSource) -> Facts:
        with showing(f"reading {source.name}", source.content.length, BYTES) as progress:
            found = await self.client.open(source, progress.done)
        account = self.account
        account.session, account.status = found["sessionId"], found["status"]
        account.total, account.failed = found["totalRows"], found["errorRows"]
        account.inserted, account.updated = found["insertCount"], found["updateCount"]
        account.skipped = found["skipCount"]
        return found

    async def _discard_session(self, session_id: str) -> None:
        """Discard a session; the counts stay those of the analysis."""
        try:
            await self._report_failures(session_id)
        finally:
            await self.client.discard(session_id)
            self.account.status, self.account.planned = "DISCARDED", True

    async def _commit(self, session_id: str, before: int) -> None:
        account = self.account
        account.session, account.status = session_id, "COMMITTING"
        account.inserted = account.updated = account.skipped = 0
        try:
            with showing(f"storing {account.name}", account.total, before=before) as progress:
                done = await self._follow(session_id, progress)
            account.inserted, account.updated = done["inserted"], done["updated"]
            account.skipped, account.failed = done["skipped"], done["failed"]
            account.status = "COMMITTED"
            await self._report_failures(session_id)
        except asyncio.CancelledError:
            self._interrupted("interrupted; what is stored stays stored, and the service may be storing more")
            raise
        except CommandFailed as error:
            self._broken_off(error)

    async def _follow(self, session_id: str, progress: Progress) -> Facts:
        """Follow the commit and report its progress."""

        def tell(event: Facts) -> None:
            self._note(event)
            progress.done(event["doneRows"])

        following = asyncio.create_task(self.client.follow(session_id, tell))
        try:
            done = await self.client.commit(session_id)
            progress.done(self.account.total)
            return done
        finally:
            following.cancel()
            with suppress(asyncio.CancelledError):
                await following

    def _note(self, event: Facts) -> None:
        account = self.account
        account.total, account.failed = event["totalRows"], event["errorRows"] + event["failed"]
        account.inserted, account.updated = event["inserted"], event["updated"]
        account.skipped = event["skipped"]

    async def _report_failures(self, session_id: str) -> None:
        if self.account.failed:
            self.account.failures = await self.client.failures(session_id, MOST_SHOWN)
        if self.terms.report is not None:
            await self.client.save_errors(session_id, self.terms.report)

    def _interrupted(self, message: str) -> None:
        self._broken_off(CommandFailed(INTERRUPTED, message))

    def _broken_off(self, error: CommandFailed) -> None:
        account = self.account
        account.error = error
        if account.status == "COMMITTING" and (isinstance(error, Unreachable) or error.code == INTERRUPTED):
            account.advice = [
                f"resume:      recordsmith import --resume {account.session} {self.terms.words}",
                f"or discard:  recordsmith import --discard {account.session} {self.terms.words}",
            ]
