"""Imports: what they are asked for, and what they return."""

from enum import StrEnum
from typing import Annotated, Any, Literal

from pydantic import Field, WithJsonSchema

from runtime.contract.csv import DialectParameters
from runtime.contract.pages import LimitText, SkipText
from runtime.contract.values import Natural, Positive, TrueOrFalse, describe_field
from runtime.model.record import ObjectIdText, Strict

RowIntent = Literal["INSERT", "UPDATE", "SKIP"]
SessionState = Literal["ANALYZING", "ANALYZED", "COMMITTING", "COMMITTED", "DISCARDED"]


class RowCode(StrEnum):
    """What kind of thing is wrong with a row."""

    PARSE = "PARSE"  # the cell is not a value of the field's type
    VALIDATION = "VALIDATION"  # the record would break a constraint
    MAPPING = "MAPPING"  # the profile does not know what to do with the cell
    LOOKUP = "LOOKUP"  # no record has the value looked for
    STATE = "STATE"
    REFERENCE = "REFERENCE"
    SCOPE = "SCOPE"
    DUPLICATE = "DUPLICATE"
    INTENT = "INTENT"  # the row asks for what cannot be done
    DB = "DB"


class VerticalColumn(StrEnum):
    """The columns of ``VERTICAL``; all but the type must be there."""

    ENTITY_KEY = "_entityKey"
    SET = "_attrSet"
    NAME = "_attrName"
    TYPE = "_attrType"
    VALUE = "_attrValue"


_Code = Annotated[RowCode, WithJsonSchema({"type": "string", "enum": [str(one) for one in RowCode]})]
_RestoreArchived = Annotated[
    TrueOrFalse,
    Field(description="Whether a row that names an archived record restores it. Otherwise it is an error."),
]
_Inserts = Annotated[Natural, Field(description="Rows that insert a record.")]
_Updates = Annotated[Natural, Field(description="Rows that update a record.")]
_Skips = Annotated[Natural, Field(description="Rows without errors that change nothing.")]
_Session = Annotated[ObjectIdText, Field(description="The import session.")]


class ImportParameters(DialectParameters):
    """The query of an import by columns."""

    requested_columns: Annotated[
        str,
        Field(max_length=16 * 1024),
        describe_field(
            "Comma-separated fields, in the order of the columns. `customer.entityRefName` finds the "
            "record that a reference names; `list[0].field` gathers an item from each of the rows that "
            "follow each other under one `refName`. The last column of an error file, `errors`, is ignored.",
            minLength=1,
            example="refName,displayName",
        ),
    ]
    skip_header_row: Annotated[TrueOrFalse, Field(description="Whether the first row is a header.")] = True
    restore_archived: _RestoreArchived = False


class ProfileParameters(DialectParameters):
    """The query of an import by profile."""

    profile_ref_name: Annotated[
        str,
        Field(min_length=1, max_length=200),
        describe_field(
            "The import profile that says how the columns of the file, which begins with a header line, "
            "become the fields of records.",
            example="legacy-records",
        ),
    ]
    restore_archived: _RestoreArchived = False


class RowsParameters(Strict):
    """The query of a page of analysed rows."""

    skip: SkipText = 0
    limit: LimitText = None
    only_errors: Annotated[TrueOrFalse, Field(description="Whether to return only rows with errors.")] = False
    intent: Annotated[RowIntent | None, Field(description="Only rows with this intent.")] = None


class RowFinding(Strict):
    """What is wrong with a row."""

    code: Annotated[_Code, Field(description="The kind of error.")]
    message: Annotated[str, Field(description="What is wrong.")]
    field: Annotated[str | None, Field(description="The field, dotted, or a column that fills none.")] = None
    column: Annotated[
        str | None, Field(description="The column that fills it, where a profile says which.")
    ] = None
    value: Annotated[str | None, Field(description="The value of the cell.")] = None
    suggestion: Annotated[str | None, Field(description="The value that may have been meant.")] = None


class AnalysedRow(Strict):
    """What becomes of a row."""

    row_number: Annotated[Positive, Field(description="Counted from 1, without the header.")]
    ref_name: Annotated[str | None, Field(description="The reference name that the row names.")] = None
    intent: Annotated[RowIntent, Field(description="What the row does.")]
    raw_data: Annotated[dict[str, Any], Field(description="Column and cell, as the file has it.")]
    reason: Annotated[str | None, Field(description="Why a resolver of the application skipped the row.")] = (
        None
    )
    record: Annotated[
        dict[str, Any] | None,
        Field(
            description="The record as the row would store it now, or as it is where the row changes "
            "nothing or is stored already. Absent in direct imports, and for rows that have errors "
            "or refer to rows that are not stored yet."
        ),
    ] = None
    errors: Annotated[list[RowFinding], Field(description="What is wrong with the row.")]


_Rows = Annotated[list[AnalysedRow], Field(description="The analysed rows, in the order of the file.")]


class ImportRows(Strict):
    """Rows in their order."""

    offset: Annotated[Natural, Field(description="Number of rows before this page.")]
    limit: Annotated[Natural, Field(description="Maximum number of rows in a page.")]
    rows: _Rows
    row_count: Annotated[Natural, Field(description="Number of rows in this page.")]
    total_count: Annotated[Natural, Field(description="Number of all matching rows.")]


class ImportResult(Strict):
    """What the analysis of a file found; the first hundred rows."""

    session_id: _Session
    status: Annotated[SessionState, Field(description="What the session is doing.")]
    total_rows: Annotated[Natural, Field(description="Rows of the file, without the header.")]
    valid_rows: Annotated[Natural, Field(description="Rows without errors.")]
    error_rows: Annotated[Natural, Field(description="Rows with errors.")]
    insert_count: _Inserts
    update_count: _Updates
    skip_count: _Skips
    rows: _Rows


class ImportProgress(Strict):
    """How far an import session is; of one that was discarded only its status."""

    status: Annotated[SessionState, Field(description="What the session is doing.")]
    total_rows: Annotated[Natural | None, Field(description="Rows of the file, without the header.")] = None
    error_rows: Annotated[Natural | None, Field(description="Rows with errors.")] = None
    inserted: Annotated[Natural | None, Field(description="Records that were inserted.")] = None
    updated: Annotated[Natural | None, Field(description="Records that were updated.")] = None
    skipped: Annotated[Natural | None, Field(description="Rows without a change.")] = None
    failed: Annotated[Natural | None, Field(description="Rows that could not be stored.")] = None
    done_rows: Annotated[
        Natural | None, Field(description="Rows that need nothing more: the sum of the five.")
    ] = None


class CommitResult(Strict):
    """What a commit did, of all rows of the file."""

    session_id: _Session
    inserted: Annotated[Natural, Field(description="Records that were inserted.")]
    updated: Annotated[Natural, Field(description="Records that were updated.")]
    skipped: Annotated[Natural, Field(description="Rows without a change.")]
    failed: Annotated[Natural, Field(description="Rows that could not be stored.")]


class ImportAnswer(Strict):
    """What an import did; the first thousand rows with errors."""

    imported_count: Annotated[Natural, Field(description="Rows that were stored.")]
    failed_count: Annotated[Natural, Field(description="Rows with errors.")]
    insert_count: _Inserts
    update_count: _Updates
    skip_count: _Skips
    rows: Annotated[list[AnalysedRow], Field(description="The rows with errors, in the order of the file.")]
