"""Port, from specs/logistics/port.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import EntityReference, Record, RecordInput, Strict


class PortFields(Strict):
    """The fields that are both sent and read."""

    locode: Annotated[str, Field(pattern="^[A-Z]{2}[A-Z2-9]{3}$")]
    name: Annotated[str, Field(max_length=200, min_length=1)]
    region: Annotated[EntityReference | None, Field(description="The smallest region that has it.")] = None


class PortInput(PortFields, RecordInput):
    """A seaport, identified by its UN/LOCODE (as sent)."""


class Port(PortFields, Record):
    """A seaport, identified by its UN/LOCODE."""
