"""ImportRow, from specs/system/import_row.yaml. Written by the generator; do not edit."""

from typing import Annotated, Any, Literal

from pydantic import Field

from runtime.model.record import Moment, Record, RecordInput, Strict


class ImportRowFields(Strict):
    """The fields that are both sent and read."""

    session_id: str
    row_number: int
    intent: Annotated[Literal["INSERT", "UPDATE", "SKIP"], Field(description="What is done with it.")]
    asked: Annotated[
        Literal["INSERT", "UPDATE", "UPSERT", "SKIP"], Field(description="What the row asks for.")
    ]
    is_failed: bool
    report: Annotated[str, Field(description="The row as it is told, as JSON.")]
    further: Annotated[
        str | None, Field(description="The cells of the other rows of a record that has several, as JSON.")
    ] = None
    size: Annotated[
        int | None,
        Field(description="Characters of the report and of further: large rows are read a few at a time."),
    ] = None
    needs_review: Annotated[
        bool | None, Field(description="Without the rest of its file the row may be sound.")
    ] = None
    values: Annotated[Any, Field(description="Path and value, as stored, of what the row sets.")] = None
    attributes: Annotated[
        Any, Field(description="Set and attribute and what the row says of it, before it is merged.")
    ] = None
    expires_at: Moment


class ImportRowInput(ImportRowFields, RecordInput):
    """A row of a file that was analysed, until its session expires (spec 2 §2.10) (as sent)."""


class ImportRow(ImportRowFields, Record):
    """A row of a file that was analysed, until its session expires (spec 2 §2.10)."""
