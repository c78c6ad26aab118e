"""The account of an import: what has become of each row, for people, as JSON and as a CSV of failures."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console

from runtime.cli.output import CommandFailed, Outcome

_SHOWN = 20


@dataclass(frozen=True, slots=True)
class FailedRow:
    """``row`` counts from 1."""

    row: int
    ref_name: str | None
    code: str
    message: str


@dataclass
class Account:
    """What has become of the rows so far. ``repeated`` requests were sent again for want of an answer;
    ``error`` is why the import broke off."""

    name: str
    record_type: str
    total: int
    saved: int = 0
    replaced: int = 0
    skipped: int = 0
    repeated: int = 0
    failed: list[FailedRow] = field(default_factory=list)
    seconds: float = 0
    error: CommandFailed | None = None

    @property
    def unsent(self) -> int:
        """Rows whose fate is unknown: not sent, or their answer did not arrive."""
        return self.total - self.saved - self.replaced - self.skipped - len(self.failed)


def outcome(accounts: list[Account]) -> Outcome:
    """The exit code: done only when every row is accounted for and none failed."""
    errors = [account.error for account in accounts if account.error]
    if errors:
        return errors[0].outcome
    return Outcome.FAILED if any(account.failed or account.unsent for account in accounts) else Outcome.DONE


def facts(account: Account) -> dict[str, Any]:
    """As JSON."""
    error = account.error
    return {
        "source": account.name,
        "type": account.record_type,
        "rows": account.total,
        "saved": account.saved,
        "replaced": account.replaced,
        "skipped": account.skipped,
        "failed": len(account.failed),
        "unsent": account.unsent,
        "repeatedRequests": account.repeated,
        "seconds": account.seconds,
        "failures": [_failure(row) for row in account.failed],
        "error": {"code": error.code, "message": error.message} if error else None,
    }


def _failure(row: FailedRow) -> dict[str, Any]:
    return {"row": row.row, "refName": row.ref_name, "code": row.code, "message": row.message}


def write_report(file: Path, accounts: list[Account]) -> None:
    """Every failed row, as CSV. Raises ``CommandFailed`` when the file cannot be written."""
    try:
        with file.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.writer(stream)
            writer.writerow(("source", "row", "refName", "code", "message"))
            for account in accounts:
                writer.writerows((account.name, *_failure(row).values()) for row in account.failed)
    except OSError as error:
        raise CommandFailed("import.report", f"{file} cannot be written: {error.strerror}") from error


def show(out: Console, accounts: list[Account]) -> None:
    """For people, with the first 20 failures."""
    for account in accounts:
        counts = {
            "saved": account.saved,
            "replaced": account.replaced,
            "skipped": account.skipped,
            "failed": len(account.failed),
            "not sent": account.unsent,
        }
        said = ", ".join(f"{count:,} {word}" for word, count in counts.items() if count) or "nothing to do"
        out.print(
            f"{account.name}: {said} of {account.total:,} rows in {account.seconds:.1f} s", markup=False
        )
        for row in account.failed[:_SHOWN]:
            out.print(f"  row {row.row} {row.ref_name or ''}  {row.code}: {row.message}", markup=False)
        if len(account.failed) > _SHOWN:
            rest = len(account.failed) - _SHOWN
            out.print(f"  … and {rest:,} more: --report FILE or --json lists all", markup=False)
        if account.repeated:
            out.print("  some requests were sent twice: rows said to exist may be from the first try")
        if account.error:
            out.print(f"  error[{account.error.code}]: {account.error.message}", markup=False)
