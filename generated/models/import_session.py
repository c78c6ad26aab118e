"""ImportSession, from specs/system/import_session.yaml. Written by the generator; do not edit."""

from typing import Annotated, Any, Literal

from pydantic import Field

from runtime.model.record import Moment, Record, RecordInput, Strict


class ImportSessionFields(Strict):
    """The fields that are both sent and read."""

    record_type: str
    realm: str
    subject: Annotated[str, Field(description="Whose session it is.")]
    state: Literal["ANALYZING", "ANALYZED", "COMMITTING", "COMMITTED", "DISCARDED"]
    parameters: Annotated[dict[str, str] | None, Field(description="What the analysis was asked for.")] = None
    columns: Annotated[list[str], Field(description="The columns of the error file.")]
    dialect: Annotated[Any, Field(description="How the file is written.")] = None
    terms: Annotated[Any, Field(description="Key, merge and sources of a file that a profile read.")] = None
    total_rows: int
    valid_rows: int
    error_rows: int
    insert_count: int
    update_count: int
    skip_count: int
    is_in_waves: Annotated[
        bool | None, Field(description="Rows may refer to records of other rows, which are committed first.")
    ] = None
    position: Annotated[int, Field(description="The place of the last row whose batch is stored.")]
    inserted: int
    updated: int
    skipped: int
    failed: Annotated[int, Field(description="Rows that were in order and could not be stored.")]
    holder: Annotated[str | None, Field(description="Who commits; whoever takes over sets another.")] = None
    lease_until: Annotated[Moment | None, Field(description="When another may take over.")] = None
    beat: Annotated[
        int | None,
        Field(description="Counts up while the file is read; one that stands still ends the session."),
    ] = None
    expires_at: Moment


class ImportSessionInput(ImportSessionFields, RecordInput):
    """A file that was analysed to be imported, and how far its commit is; for 24 hours (spec 2 §3.3) (as sent)."""


class ImportSession(ImportSessionFields, Record):
    """A file that was analysed to be imported, and how far its commit is; for 24 hours (spec 2 §3.3)."""
