"""Rename, from runtime/system/specs/system/rename.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Moment, RecordInput


class Rename(RecordInput):
    """Renamed records whose old names may still be copied into references; deleted once a worker has checked the copies."""

    target: Annotated[str, Field(description="Their record type.")]
    targets: Annotated[list[str], Field(description="Ids of the records.")]
    ref_names: Annotated[
        list[str] | None, Field(description="The names that were copied; absent if the records were renamed.")
    ] = None
    display_names: list[str] | None = None
    due_at: Annotated[Moment, Field(description="When a worker checks the copies.")]
    holder: Annotated[str, Field(description="The worker that checks the copies; empty until one does.")]
