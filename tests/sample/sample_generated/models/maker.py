"""Maker, from specs/shop/maker.yaml. Written by the generator; do not edit."""

from runtime.model.record import (
    DynamicAttribute,
    EntityReference,
    PersistentEvent,
    Record,
    RecordInput,
    Strict,
    Violation,
)


class MakerFields(Strict):
    """The fields that are both sent and read."""

    name: str
    owner: EntityReference | None = None
    dynamic_attributes: dict[str, dict[str, DynamicAttribute]] | None = None
    persistent_events: list[PersistentEvent] | None = None
    invalid: bool | None = None
    violations: list[Violation] | None = None


class MakerInput(MakerFields, RecordInput):
    """Who makes things (as sent)."""


class Maker(MakerFields, Record):
    """Who makes things."""
