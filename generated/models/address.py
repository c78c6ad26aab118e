"""Address, from specs/logistics/address.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Strict


class Address(Strict):
    """A postal address."""

    street: Annotated[str, Field(max_length=200)]
    postal_code: Annotated[str | None, Field(max_length=20)] = None
    city: Annotated[str, Field(max_length=200)]
    country: Annotated[str, Field(pattern="^[A-Z]{2}$")]
