"""The account of an import: what has become of each row, for people, as JSON and as a CSV of failures."""

import csv
from dataclasses import dataclass, field
from os.path import lexists
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from runtime.cli.output import CommandFailed, ExitCode, print_table
from runtime.model.counting import count_things
from runtime.model.mappings import without_nones
from runtime.model.nearest import add_suggestion
from runtime.transfer.csv.dialect import guard_text

INTERRUPTED: Final = "import.interrupted"

MOST_SHOWN = 20
"""Failures that people are shown."""


@dataclass(frozen=True, slots=True)
class FailedRow:
    """One thing that is wrong with a row. ``row`` counts from 1; of a JSON row there is no ``column``."""

    row: int
    ref_name: str | None
    code: str
    message: str
    column: str | None = None
    value: str | None = None
    suggestion: str | None = None


@dataclass
class Account:
    """What has become of the rows so far. ``failures``: of a CSV file the first ones, else all.

    ``session`` is that of a CSV file, ``status`` where it stands. ``is_planned``: nothing was stored, and the
    counts say what would have been. ``repeated`` requests were sent again for want of an answer; ``error`` is
    why the import broke off, ``advice`` how to go on.
    """

    name: str
    record_type: str
    total: int = 0
    inserted: int = 0
    updated: int = 0
    skipped: int = 0
    failed: int = 0
    repeated: int = 0
    failures: list[FailedRow] = field(default_factory=list)
    session: str | None = None
    status: str | None = None
    is_planned: bool = False
    seconds: float = 0
    error: CommandFailed | None = None
    advice: list[str] = field(default_factory=list)

    @property
    def unsent(self) -> int:
        """Rows whose fate is unknown: not sent or not stored yet, or their answer did not arrive."""
        return self.total - self.inserted - self.updated - self.skipped - self.failed

    @property
    def is_sound(self) -> bool:
        """Whether all requested rows are done; true for a session that was discarded on request."""
        was_ended = self.status == "DISCARDED" and not self.is_planned
        return was_ended or not (self.failed or self.unsent)

    def fail(self, row: FailedRow) -> None:
        self.failed += 1
        self.failures.append(row)


def find_exit_code(accounts: list[Account]) -> ExitCode:
    """Return the exit code."""
    errors = [account.error for account in accounts if account.error]
    if errors:
        return errors[0].exit_code
    return ExitCode.DONE if all(account.is_sound for account in accounts) else ExitCode.FAILED


def render_account(account: Account) -> dict[str, Any]:
    """Render an account as JSON."""
    error = account.error
    found = {
        "source": account.name,
        "type": account.record_type,
        "rows": account.total,
        "inserted": account.inserted,
        "updated": account.updated,
        "skipped": account.skipped,
        "failed": account.failed,
        "unsent": account.unsent,
        "repeatedRequests": account.repeated,
        "seconds": account.seconds,
        "failures": [_render_failure(row) for row in account.failures],
        "error": {"code": error.code, "message": error.message} if error else None,
    }
    if account.session is not None:
        found |= {"sessionId": account.session, "status": account.status}
    return found


def _render_failure(row: FailedRow) -> dict[str, Any]:
    failure = {"row": row.row, "refName": row.ref_name, "code": row.code, "message": row.message}
    more = {"column": row.column, "value": row.value, "suggestion": row.suggestion}
    return failure | without_nones(more)


def require_writable(file: Path) -> None:
    """Raise ``CommandFailed`` (usage) for a report that could not be written, before anything is stored."""
    try:
        if file.is_fifo():  # whose reader would take this for its end
            return
        is_new = not lexists(file)
        file.open("ab").close()
        if is_new:
            file.unlink()
    except OSError as error:
        message = f"{file} cannot be written: {error.strerror}"
        raise CommandFailed("import.report", message, ExitCode.USAGE) from error


def write_report(file: Path, accounts: list[Account]) -> None:
    """Write every failed row as CSV, guarded against formulas. Raises ``CommandFailed``."""
    try:
        with file.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(("source", "row", "refName", "code", "message"))
            for account in accounts:
                for row in account.failures:
                    cells = (account.name, *_render_failure(row).values())
                    writer.writerow([guard_text(cell) if isinstance(cell, str) else cell for cell in cells])
    except OSError as error:
        raise CommandFailed("import.report", f"{file} cannot be written: {error.strerror}") from error


def show(out: Console, accounts: list[Account]) -> None:
    """Print the accounts for people, with the first failures."""
    for account in accounts:
        out.print(_describe_counts(account))
        _show_failures(out, account.failures[:MOST_SHOWN])
        shown = {row.row for row in account.failures[:MOST_SHOWN]}
        if shown and (rest := account.failed - len(shown)) > 0:
            out.print(f"  … and {rest:,} more: --report FILE has all")
        if account.repeated:
            out.print("  some requests were sent twice: rows reported as existing may be from the first try")
        if account.error:
            out.print(f"  error[{account.error.code}]: {account.error.message}")
        for line in account.advice:
            out.print(f"  {line}")


def _describe_counts(account: Account) -> str:
    counts = {
        "inserted": account.inserted,
        "updated": account.updated,
        "skipped": account.skipped,
        "failed": account.failed,
        "not sent" if account.session is None else "not stored": account.unsent,
    }
    counted = ", ".join(f"{count:,} {word}" for word, count in counts.items() if count) or "nothing to do"
    if account.error and not account.total:
        return f"{account.name}:"
    of = f"{counted} of {count_things(account.total, 'row')} in {account.seconds:.1f} s"
    if account.is_planned:
        return f"{account.name}: nothing was stored; it would have been {of}"
    return f"{account.name}: {of}"


def _show_failures(out: Console, rows: list[FailedRow]) -> None:
    """Print a table on a terminal; elsewhere one line per row, which is never truncated."""
    if not out.is_terminal:
        for row in rows:
            out.print(f"  row {row.row} {row.ref_name or ''}{_place(row)}  {_describe_row(row)}")
    elif rows:
        headings = ("row", "refName", "column", "value", "error", "suggestion")
        print_table(out, headings, map(_list_cells, rows))


def _list_cells(row: FailedRow) -> list[str]:
    cells = (row.ref_name, row.column, row.value, f"{row.code}: {row.message}", row.suggestion)
    return [str(row.row), *(cell or "" for cell in cells)]


def _place(row: FailedRow) -> str:
    value = "" if row.value is None else f"={row.value!r}"
    return "" if row.column is None else f"  {row.column}{value}"


def _describe_row(row: FailedRow) -> str:
    return f"{row.code}: {add_suggestion(row.message, row.suggestion)}"
