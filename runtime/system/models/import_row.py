"""ImportRow, from runtime/system/specs/system/import_row.yaml. Written by the generator; do not edit."""

from typing import Any, Literal

from runtime.model.record import Moment, RecordInput


class ImportRow(RecordInput):
    """An analysed row of a CSV file; deleted when its session expires."""

    session_id: str
    row_number: int
    intent: Literal["INSERT", "UPDATE", "SKIP"]
    asked: Literal["INSERT", "UPDATE", "UPSERT", "SKIP"]
    is_failed: bool
    report: str
    further: str | None = None
    size: int | None = None
    needs_review: bool | None = None
    values: Any = None
    attributes: Any = None
    expires_at: Moment
