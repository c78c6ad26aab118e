"""Rename, from runtime/system/specs/system/rename.yaml. Written by the generator; do not edit."""

from runtime.model.record import Moment, RecordInput


class Rename(RecordInput):
    """Renamed records whose old names may still be copied into references; deleted once a worker has checked the copies."""

    target: str
    targets: list[str]
    ref_names: list[str] | None = None
    display_names: list[str] | None = None
    due_at: Moment
    holder: str
