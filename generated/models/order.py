"""Order, from specs/logistics/order.yaml. Written by the generator; do not edit."""

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import (
    EntityReference,
    ExactDecimal,
    Moment,
    PersistentEvent,
    Record,
    RecordInput,
    Strict,
)


class OrderItem(Strict):
    """Part of Order."""

    product: EntityReference
    quantity: Annotated[int, Field(ge=1)]
    price: Annotated[Decimal, Field(ge=0), ExactDecimal()]


class OrderFields(Strict):
    """The fields that are both sent and read."""

    status: Literal["PENDING", "PROCESSING", "SHIPPED", "DELIVERED", "CANCELLED"] | None = None
    customer: EntityReference
    shipments: Annotated[list[EntityReference] | None, Field(max_length=50)] = None
    placed_at: Moment | None = None
    currency: Annotated[str | None, Field(pattern="^[A-Z]{3}$")] = "EUR"
    items: Annotated[list[OrderItem], Field(max_length=500, min_length=1)]
    persistent_events: list[PersistentEvent] | None = None


class OrderInput(OrderFields, RecordInput):
    """A customer's order, with its prices (as sent)."""


class Order(OrderFields, Record):
    """A customer's order, with its prices."""
