"""Region, from specs/logistics/region.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import EntityReference, Record, RecordInput, Strict


class RegionFields(Strict):
    """The fields that are both sent and read."""

    name: Annotated[str, Field(max_length=200, min_length=1)]
    part_of: Annotated[EntityReference | None, Field(description="The region around it.")] = None


class RegionInput(RegionFields, RecordInput):
    """A part of the world, which may be part of a larger one (as sent)."""


class Region(RegionFields, Record):
    """A part of the world, which may be part of a larger one."""
