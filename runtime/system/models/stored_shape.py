"""StoredShape, from runtime/system/specs/system/stored_shape.yaml. Written by the generator; do not edit."""

from runtime.model.record import RecordInput


class StoredShape(RecordInput):
    """How the records of a record type (its refName) are stored in this realm: their fields, types and states."""

    number: int
    fingerprint: str
    shape: str
    earlier: list[str] | None = None
    alike: list[str] | None = None
