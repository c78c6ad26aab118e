"""What an import is asked for and what it answers (spec 2 §2.10, §4.4, decisions §5)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from runtime.model.record import ObjectIdText, Strict
from runtime.records.document.queries import LimitText, SkipText, TrueOrFalse
from runtime.transfer.csv.parameters import DialectParameters
from runtime.transfer.rows.rows import PLAIN, FileTerms

RowIntent = Literal["INSERT", "UPDATE", "SKIP"]
SessionState = Literal["ANALYZING", "ANALYZED", "COMMITTING", "COMMITTED", "DISCARDED"]


RestoreArchived = Annotated[TrueOrFalse, Field(description="Rows restore the archived records they name")]


class ImportParameters(DialectParameters):
    """The query of an import by columns."""

    requested_columns: Annotated[
        str,
        Field(
            max_length=16 * 1024,
            description="Comma list of fields, in the order of the columns; errors as the last of an error "
            "file is left out",
        ),
    ]
    skip_header_row: Annotated[TrueOrFalse, Field(description="The first row is a header")] = True
    restore_archived: RestoreArchived = False

    def terms(self) -> FileTerms:
        """What the rows of the file have in common."""
        return FileTerms(restore_archived=True) if self.restore_archived else PLAIN


class ProfileParameters(DialectParameters):
    """The query of an import by profile."""

    profile_ref_name: Annotated[str, Field(min_length=1, max_length=200, description="Which import profile")]
    restore_archived: RestoreArchived = False


class RowsParameters(Strict):
    """The query of a page of analysed rows."""

    skip: SkipText = 0
    limit: LimitText = None
    only_errors: Annotated[TrueOrFalse, Field(description="Only rows with errors")] = False
    intent: Annotated[RowIntent | None, Field(description="Only rows of this intent")] = None


class RowFinding(Strict):
    """What is wrong with one cell, or with the record it belongs to."""

    code: Literal[
        "PARSE", "VALIDATION", "MAPPING", "LOOKUP", "STATE", "REFERENCE", "SCOPE", "DUPLICATE", "INTENT", "DB"
    ]
    message: str
    field: str | None = None
    column: str | None = None
    value: str | None = None
    suggestion: str | None = None


class AnalysedRow(Strict):
    """What became of one row."""

    row_number: int
    ref_name: str | None = None
    intent: RowIntent
    raw_data: dict[str, Any]
    reason: str | None = None
    record: dict[str, Any] | None = None
    errors: list[RowFinding]


class ImportRows(Strict):
    """A page of rows, in their order."""

    offset: int
    limit: int
    rows: list[AnalysedRow]
    row_count: int
    total_count: int


class ImportResult(Strict):
    """What the analysis of a file found; ``rows`` are the first hundred."""

    session_id: ObjectIdText
    status: SessionState
    total_rows: int
    valid_rows: int
    error_rows: int
    insert_count: int
    update_count: int
    skip_count: int
    rows: list[AnalysedRow]


class CommitResult(Strict):
    """What the commit of a session did; together as many as the file has rows."""

    session_id: ObjectIdText
    inserted: int
    updated: int
    skipped: int
    failed: int


class ImportAnswer(Strict):
    """What a direct import did. ``rows``: those with errors, the first thousand."""

    imported_count: int
    failed_count: int
    insert_count: int
    update_count: int
    skip_count: int
    rows: list[AnalysedRow]
