"""Shipment, from specs/logistics/shipment.yaml. Written by the generator; do not edit."""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import EntityReference, ExactDecimal, Moment, Record, RecordInput, Strict


class ShipmentLine(Strict):
    """Part of Shipment."""

    sku: Annotated[str, Field(pattern="^[A-Z0-9-]+$")]
    quantity: Annotated[int, Field(ge=1)]


class ShipmentFields(Strict):
    """The fields that are both sent and read."""

    status: Literal["BOOKED", "IN_TRANSIT", "DELIVERED", "LOST", "CANCELLED"] | None = None
    customer: EntityReference
    carrier: EntityReference | None = None
    origin: EntityReference
    destination: EntityReference
    weight_kg: Annotated[
        Decimal | None, Field(ge=0, description="Gross weight in kilograms."), ExactDecimal()
    ] = None
    departs_at: Moment | None = None
    arrives_at: Moment | None = None
    notes: Annotated[str | None, Field(max_length=2000)] = None
    lines: Annotated[list[ShipmentLine] | None, Field(max_length=500)] = None


class ShipmentInput(ShipmentFields, RecordInput):
    """Goods in transit from one airport to another (as sent)."""

    customs_token: Annotated[
        str | None, Field(max_length=200, description="For customs only; stored, never returned.")
    ] = None


class Shipment(ShipmentFields, Record):
    """Goods in transit from one airport to another."""
