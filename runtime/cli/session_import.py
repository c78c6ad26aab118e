"""A CSV file through an import session: analysed, then committed or discarded, with an account of every row.

Valid rows are stored and the others reported, unless ``--all-or-nothing`` or ``--dry-run`` says otherwise.
"""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from runtime.cli.account import INTERRUPTED, MOST_SHOWN, Account
from runtime.cli.api import Unreachable
from runtime.cli.command_name import command_name
from runtime.cli.csv_source import CsvSource
from runtime.cli.output import CommandFailed, ExitCode, open_error_output
from runtime.cli.progress import BYTES, Progress, showing
from runtime.cli.session_client import Facts, SessionClient
from runtime.model.counting import count_things

ReportFile = Annotated[
    Path | None, typer.Option("--report", help="Write every row with errors to this CSV file.")
]


def keep_source(file: Path, report_file: Path | None) -> None:
    """Raise ``CommandFailed`` (usage) for a report that would replace the file that is imported."""
    try:
        is_same = report_file is not None and report_file.samefile(file)
    except OSError:
        return  # one is missing, or may not be looked at: reported where it is opened
    if is_same:
        message = f"--report {report_file} is the file that is imported: name another file"
        raise CommandFailed("import.report", message, ExitCode.USAGE)


@dataclass(frozen=True, slots=True)
class StoreOptions:
    """What is stored: ``dry_run`` nothing, ``all_or_nothing`` nothing when a row has errors.

    ``report``: where the rows with errors go.
    """

    dry_run: bool = False
    all_or_nothing: bool = False
    report: Path | None = None


@dataclass(frozen=True, slots=True)
class SessionImport:
    """The import of one file, or of a session that was begun before.

    ``words``: the options that name the same records in another command. An error that ends a commit early is
    recorded in the account; an earlier one is raised as ``CommandFailed``.
    """

    client: SessionClient
    options: StoreOptions
    account: Account
    words: str

    async def run(self, source: CsvSource) -> None:
        """Import a file. An interrupt before the commit leaves nothing behind."""
        found = await self._send(source)
        errors = found["errorRows"]
        if self.options.dry_run or (self.options.all_or_nothing and errors):
            await self._discard_session(found["sessionId"])
            return
        if errors:
            open_error_output().print(
                f"{errors:,} of {count_things(self.account.total, 'row')} "
                f"{'has errors and is' if errors == 1 else 'have errors and are'} skipped"
            )
        await self._commit(found["sessionId"], errors)

    async def analyze(self, source: CsvSource) -> None:
        """Analyse a file and leave the decision to a later command."""
        found = await self._send(source)
        await self._report_failures(found["sessionId"])
        self.account.is_planned = True
        self._advise("commit")

    async def resume(self, session_id: str) -> None:
        """Commit a session, or continue where its commit was."""
        found = await self.client.read_state(session_id)
        self._note(found)
        await self._commit(session_id, found["doneRows"])

    async def discard(self, session_id: str) -> None:
        """End a session; its counts stay those of what is stored."""
        self._note(await self.client.read_state(session_id))
        await self.client.discard(session_id)
        self.account.session, self.account.status = session_id, "DISCARDED"

    async def _send(self, source: CsvSource) -> Facts:
        """Send a file and note its analysis."""
        try:
            with showing(f"reading {source.name}", source.content.length, BYTES) as progress:
                found = await self.client.open(source, progress.done)
        except asyncio.CancelledError:
            self._record_interrupt("interrupted while the file was read: nothing was stored")
            raise
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
            self.account.status, self.account.is_planned = "DISCARDED", True

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
            self._record_interrupt(
                "interrupted; what is stored stays stored, and the service may be storing more"
            )
            raise
        except CommandFailed as error:
            self._record_error(error)

    async def _follow(self, session_id: str, progress: Progress) -> Facts:
        """Follow the commit and report its progress."""

        def take_step(event: Facts) -> None:
            self._note(event)
            progress.done(event["doneRows"])

        following = asyncio.create_task(self.client.follow(session_id, take_step))
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
            self.account.failures = await self.client.list_failures(session_id, MOST_SHOWN)
        if self.options.report is not None:
            await self.client.save_errors(session_id, self.options.report)

    def _record_interrupt(self, message: str) -> None:
        self._record_error(CommandFailed(INTERRUPTED, message))

    def _record_error(self, error: CommandFailed) -> None:
        account = self.account
        account.error = error
        if account.status == "COMMITTING" and (isinstance(error, Unreachable) or error.code == INTERRUPTED):
            self._advise("resume")

    def _advise(self, next_step: str) -> None:
        """Add the commands that commit or discard the session."""
        account = self.account
        account.advice = [
            f"{next_step + ':':<12} {command_name()} import commit {account.session} {self.words}",
            f"or discard:  {command_name()} import discard {account.session} {self.words}",
        ]
