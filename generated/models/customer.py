"""Customer, from specs/logistics/customer.yaml. Written by the generator; do not edit."""

from decimal import Decimal
from typing import Annotated

from pydantic import Field

from generated.models.address import Address
from runtime.model.record import DynamicAttribute, ExactDecimal, LocalDate, Record, RecordInput, Strict


class CustomerFields(Strict):
    """The fields that are both sent and read."""

    name: Annotated[str, Field(max_length=200, min_length=1)]
    email: Annotated[str | None, Field(max_length=254, pattern="^[^@ ]+@[^@ ]+$")] = None
    billing: Address | None = None
    ship_to: Annotated[list[Address] | None, Field(max_length=50)] = None
    credit: Annotated[Decimal | None, Field(ge=0, description="Credit limit."), ExactDecimal()] = Decimal(
        "0.00"
    )
    since: LocalDate | None = None
    dynamic_attributes: dict[str, dict[str, DynamicAttribute]] | None = None


class CustomerInput(CustomerFields, RecordInput):
    """A customer who orders goods and pays for their transport (as sent)."""


class Customer(CustomerFields, Record):
    """A customer who orders goods and pays for their transport."""
