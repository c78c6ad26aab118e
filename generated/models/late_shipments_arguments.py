"""LateShipmentsArguments, from specs/logistics/tools.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Moment, Strict


class LateShipmentsArguments(Strict):
    """The arguments of the tool late_shipments."""

    before: Annotated[Moment, Field(description="A timestamp, such as 2026-03-27T12:00:00Z.")]
