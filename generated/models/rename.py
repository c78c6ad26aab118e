"""Rename, from specs/system/rename.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Moment, Record, RecordInput, Strict


class RenameFields(Strict):
    """The fields that are both sent and read."""

    target: Annotated[str, Field(description="The record type of the records.")]
    targets: Annotated[list[str], Field(description="Their ids.")]
    ref_names: Annotated[
        list[str] | None,
        Field(description="The names that were copied; absent where the records were renamed."),
    ] = None
    display_names: list[str] | None = None
    due_at: Annotated[Moment, Field(description="When a worker looks.")]
    holder: Annotated[str, Field(description="The worker that looks; empty before.")]


class RenameInput(RenameFields, RecordInput):
    """Records whose names may have been copied just before they changed, until a worker has looked at the copies (as sent)."""


class Rename(RenameFields, Record):
    """Records whose names may have been copied just before they changed, until a worker has looked at the copies."""
