"""Carrier, from specs/logistics/carrier.yaml. Written by the generator; do not edit."""

from typing import Annotated, Literal

from pydantic import Field

from runtime.model.record import EntityReference, Record, RecordInput, Strict


class CarrierFields(Strict):
    """The fields that are both sent and read."""

    name: Annotated[str, Field(max_length=200, min_length=1)]
    mode: Literal["AIR", "ROAD", "RAIL", "SEA"]
    home: EntityReference | None = None
    active: bool | None = True


class CarrierInput(CarrierFields, RecordInput):
    """A company that transports goods (as sent)."""


class Carrier(CarrierFields, Record):
    """A company that transports goods."""
