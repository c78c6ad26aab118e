"""RecordMigration, from runtime/system/specs/system/record_migration.yaml. Written by the generator; do not edit."""

from typing import Literal

from runtime.model.record import Moment, ObjectIdText, RecordInput


class RecordMigration(RecordInput):
    """The change of the stored records of a realm from one shape to the next, or one that is written by hand: who began it, when, and how far it is."""

    database: str
    record_type: str | None = None
    number: int | None = None
    phase: Literal["PREPARE", "EXPAND", "MOVE", "DONE", "BACK", "SHARE", "UNDONE"]
    steps: list[str]
    from_shape: str | None = None
    to_shape: str | None = None
    position: ObjectIdText | None = None
    moved: int
    checked: int
    accepted_loss: list[str] | None = None
    started_by: str
    started_date: Moment
    finished_date: Moment | None = None
    seconds: float | None = None
