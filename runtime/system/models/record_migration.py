"""RecordMigration, from runtime/system/specs/system/record_migration.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import Moment, ObjectIdText, RecordInput


class RecordMigration(RecordInput):
    """The change of the stored records of a realm from one shape to the next, or one that is written by hand: who began it, when, and how far it is."""

    database: Annotated[str, Field(description="The database of the realm.")]
    record_type: Annotated[
        str | None, Field(description="The record type; absent for a migration that is written by hand.")
    ] = None
    number: Annotated[int | None, Field(description="The number of the shape that it leads to.")] = None
    phase: Annotated[
        Literal["PREPARE", "EXPAND", "MOVE", "DONE", "BACK", "SHARE", "UNDONE"],
        Field(
            description="PREPARE: reads understand both spellings. EXPAND: writes store both. MOVE: records are converted. BACK: as PREPARE, to undo. SHARE: records get both spellings again. UNDONE: records are as before the migration."
        ),
    ]
    steps: Annotated[list[str], Field(description="What it does.")]
    from_shape: Annotated[str | None, Field(description="The shape that it begins with as JSON.")] = None
    to_shape: Annotated[str | None, Field(description="Fingerprint of the shape that it leads to.")] = None
    position: Annotated[
        ObjectIdText | None, Field(description="The last record that was moved; all before it are.")
    ] = None
    moved: Annotated[int, Field(description="Records that were converted.")]
    checked: Annotated[int, Field(description="Records whose checksum was compared.")]
    accepted_loss: Annotated[list[str] | None, Field(description="Steps whose loss was accepted.")] = None
    started_by: str
    started_date: Moment
    finished_date: Moment | None = None
    seconds: Annotated[float | None, Field(description="How long records were moved.")] = None
