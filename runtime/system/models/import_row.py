"""ImportRow, from runtime/system/specs/system/import_row.yaml. Written by the generator; do not edit."""

from typing import Annotated, Any, Literal

from pydantic import Field

from runtime.model.record import Moment, RecordInput


class ImportRow(RecordInput):
    """An analysed row of a CSV file; deleted when its session expires."""

    session_id: str
    row_number: int
    intent: Annotated[
        Literal["INSERT", "UPDATE", "SKIP"], Field(description="What the import does with the row.")
    ]
    asked: Annotated[
        Literal["INSERT", "UPDATE", "UPSERT", "SKIP"], Field(description="The intent the row requests.")
    ]
    is_failed: bool
    report: Annotated[str, Field(description="The row as reported to the caller, as JSON.")]
    further: Annotated[
        str | None, Field(description="Cells of further rows of the same record, as JSON.")
    ] = None
    size: Annotated[
        int | None,
        Field(description="Characters of report and further; large rows are read in small batches."),
    ] = None
    needs_review: Annotated[
        bool | None, Field(description="Whether the row may be valid once the rest of the file is stored.")
    ] = None
    values: Annotated[Any, Field(description="The stored value of each path that the row sets.")] = None
    attributes: Annotated[
        Any, Field(description="The dynamic attributes of the row, by set and name, before merging.")
    ] = None
    expires_at: Moment
