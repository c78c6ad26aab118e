"""Product, from specs/logistics/product.yaml. Written by the generator; do not edit."""

from decimal import Decimal
from typing import Annotated

from pydantic import Field

from runtime.model.record import ExactDecimal, Record, RecordInput, Strict, UniqueItems


class ProductFields(Strict):
    """The fields that are both sent and read."""

    sku: Annotated[str, Field(pattern="^[A-Z0-9-]{3,40}$")]
    name: Annotated[str, Field(max_length=200, min_length=1)]
    price: Annotated[Decimal, Field(ge=0), ExactDecimal()]
    weight_kg: Annotated[Decimal | None, Field(ge=0), ExactDecimal()] = None
    tags: Annotated[
        list[Annotated[str, Field(max_length=40, min_length=1)]] | None, Field(max_length=20), UniqueItems()
    ] = None
    details: Annotated[str | None, Field(max_length=5000)] = None
    label: Annotated[str | None, Field(description="Label for price tags.")] = None


class ProductInput(ProductFields, RecordInput):
    """A product that is sold and shipped (as sent)."""


class Product(ProductFields, Record):
    """A product that is sold and shipped."""
