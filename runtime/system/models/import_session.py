"""ImportSession, from runtime/system/specs/system/import_session.yaml. Written by the generator; do not edit."""

from typing import Annotated, Any, Literal

from pydantic import Field

from runtime.model.record import Moment, RecordInput


class ImportSession(RecordInput):
    """The analysis of a CSV file and the progress of its commit; stored for 24 hours."""

    record_type: str
    realm: str
    subject: Annotated[str, Field(description="The subject of the user who opened the session.")]
    state: Literal["ANALYZING", "ANALYZED", "COMMITTING", "COMMITTED", "DISCARDED"]
    parameters: Annotated[dict[str, str] | None, Field(description="The parameters of the analysis.")] = None
    columns: Annotated[list[str], Field(description="The columns of the error file.")]
    dialect: Annotated[Any, Field(description="Separator, quote and encoding of the file.")] = None
    terms: Annotated[
        Any,
        Field(description="Key, merge strategy and source columns, for a file read with an import profile."),
    ] = None
    total_rows: int
    valid_rows: int
    error_rows: int
    insert_count: int
    update_count: int
    skip_count: int
    is_in_waves: Annotated[
        bool | None,
        Field(description="Whether rows may refer to records of other rows, which are committed first."),
    ] = None
    position: Annotated[int, Field(description="Position of the last row whose batch is stored.")]
    inserted: int
    updated: int
    skipped: int
    failed: Annotated[int, Field(description="Valid rows that could not be stored.")]
    holder: Annotated[
        str | None,
        Field(description="The worker that commits; a worker that takes over writes its own name."),
    ] = None
    lease_until: Annotated[Moment | None, Field(description="When another worker may take over.")] = None
    beat: Annotated[
        int | None,
        Field(description="Increases while the file is read; the session is discarded when it stops."),
    ] = None
    expires_at: Moment
