"""Depot, from specs/shop/depot.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Record, RecordInput, Strict
from sample_generated.models.address import Address
from sample_generated.models.point import Point


class DepotFields(Strict):
    """The fields that are both sent and read."""

    city: str
    address: Address | None = None
    place: Annotated[Point | None, Field(description="Its door.")] = None


class DepotInput(DepotFields, RecordInput):
    """A house full of goods, with "quotes" and a \\ in its description (as sent)."""


class Depot(DepotFields, Record):
    """A house full of goods, with "quotes" and a \\ in its description."""
