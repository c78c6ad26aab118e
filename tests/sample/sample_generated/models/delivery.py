"""Delivery, from specs/goods-in/delivery.yaml. Written by the generator; do not edit."""

from runtime.model.record import EntityReference, Moment, Record, RecordInput, Strict


class DeliveryFields(Strict):
    """The fields that are both sent and read."""

    depot: EntityReference
    arrived: Moment
    expires: Moment | None = None


class DeliveryInput(DeliveryFields, RecordInput):
    """Goods that came in (as sent)."""


class Delivery(DeliveryFields, Record):
    """Goods that came in."""
