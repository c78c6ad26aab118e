"""ImportSession, from runtime/system/specs/system/import_session.yaml. Written by the generator; do not edit."""

from typing import Any, Literal

from runtime.model.record import Moment, RecordInput


class ImportSession(RecordInput):
    """The analysis of a CSV file and the progress of its commit; stored for 24 hours."""

    record_type: str
    realm: str
    subject: str
    state: Literal["ANALYZING", "ANALYZED", "COMMITTING", "COMMITTED", "DISCARDED"]
    parameters: dict[str, str] | None = None
    columns: list[str]
    dialect: Any = None
    terms: Any = None
    total_rows: int
    valid_rows: int
    error_rows: int
    insert_count: int
    update_count: int
    skip_count: int
    is_in_waves: bool | None = None
    position: int
    inserted: int
    updated: int
    skipped: int
    failed: int
    holder: str | None = None
    lease_until: Moment | None = None
    beat: int | None = None
    expires_at: Moment
