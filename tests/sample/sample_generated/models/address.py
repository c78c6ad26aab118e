"""Address, from specs/shop/address.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import EntityReference, Strict


class Address(Strict):
    """Where somebody lives."""

    street: Annotated[str, Field(max_length=200)]
    city: str
    zip_code: Annotated[str | None, Field(pattern="^[0-9]{4}-[0-9]{3}$")] = None
    depot: EntityReference | None = None
