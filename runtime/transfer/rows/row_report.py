"""Reports of rows on the wire, and how many rows there were of each kind. Pure but for meters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from runtime.contract.imports import RowIntent
from runtime.observe import Meters
from runtime.transfer.rows.intent import Intent
from runtime.transfer.rows.row_error import MOST_SHOWN, RowError, limit_errors
from runtime.transfer.rows.rows import Document, Failed, InputRow, Insert, Outcome, Skip, Update


@dataclass(slots=True)
class Tally:
    """Rows by what is done with them."""

    inserts: int = 0
    updates: int = 0
    skips: int = 0
    failed: int = 0

    def count(self, outcomes: Iterable[Outcome]) -> Tally:
        kinds = Counter(map(type, outcomes))
        self.inserts += kinds[Insert]
        self.updates += kinds[Update]
        self.skips += kinds[Skip]
        self.failed += kinds[Failed]
        return self

    @property
    def counts(self) -> dict[str, int]:
        """The counts under the names that a session stores them by."""
        return {
            "inserted": self.inserts,
            "updated": self.updates,
            "skipped": self.skips,
            "failed": self.failed,
        }

    @property
    def total(self) -> int:
        return self.inserts + self.updates + self.skips + self.failed


def count_rows(meters: Meters | None, outcomes: Iterable[Outcome]) -> None:
    """Count rows that an import is done with, if there are meters."""
    if meters is not None:
        meters.count_rows(Tally().count(outcomes).counts)


def render_report(found: Outcome) -> Document:
    """Render the report of a row."""
    row = found.row
    errors = limit_errors(found.errors) if isinstance(found, Failed) else ()
    report: dict[str, Any] = {"rowNumber": row.number, "refName": _ref_name(found)}
    report |= {"intent": intent_of(found), "rawData": dict(row.raw)}
    report["errors"] = [_render_finding(row, error) for error in errors]
    if report["refName"] is None:
        del report["refName"]
    if row.skip_reason is not None:
        report["reason"] = row.skip_reason[:MOST_SHOWN]
    return report


def _ref_name(found: Outcome) -> str | None:
    """Return the refName of the row, or that of the record that it found by another key."""
    if found.row.ref_name is None and isinstance(found, Update) and found.change.before is not None:
        return str(found.change.before["refName"])
    return found.row.ref_name


def _render_finding(row: InputRow, error: RowError) -> Document:
    """Render a finding, with the column of the field where its header differs."""
    finding: Document = error.as_document()
    if row.terms.sources and error.field is not None:
        column = error.field if error.field in row.raw else row.column_of(error.field)
        finding |= {} if column is None else {"column": column}
    return finding


def intent_of(found: Outcome) -> RowIntent:
    """Return what is done with a row; of a failed one its intent, with UPSERT as what would be done."""
    match found:
        case Insert():
            return "INSERT"
        case Update():
            return "UPDATE"
        case Skip():
            return "SKIP"
    match found.row.intent:
        case Intent.INSERT:
            return "INSERT"
        case Intent.SKIP:
            return "SKIP"
        case Intent.UPDATE:
            return "UPDATE"
        case Intent.UPSERT:
            return "UPDATE" if found.is_update else "INSERT"
