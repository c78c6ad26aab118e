"""StoredShape, from runtime/system/specs/system/stored_shape.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import RecordInput


class StoredShape(RecordInput):
    """How the records of a record type (its refName) are stored in this realm: their fields, types and states."""

    number: Annotated[int, Field(description="How many shapes the record type has had.")]
    fingerprint: str
    shape: Annotated[str, Field(description="The shape as JSON.")]
    earlier: Annotated[
        list[str] | None, Field(description="Fingerprints of the shapes that records were migrated from.")
    ] = None
    alike: Annotated[
        list[str] | None,
        Field(
            description="Shapes since the last migration from which no step leads to this one, as number:fingerprint."
        ),
    ] = None
