"""PlantedSeed, from specs/system/planted_seed.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Record, RecordInput, Strict


class PlantedSeedPlanted(Strict):
    """Part of PlantedSeed."""

    ref_name: str
    version: Annotated[int, Field(description="The version of the seed that was planted.")]


class PlantedSeedFields(Strict):
    """The fields that are both sent and read."""

    planted: list[PlantedSeedPlanted]


class PlantedSeedInput(PlantedSeedFields, RecordInput):
    """Which seeds of one record type, its refName, a tenant has had, so that none is planted twice (as sent)."""


class PlantedSeed(PlantedSeedFields, Record):
    """Which seeds of one record type, its refName, a tenant has had, so that none is planted twice."""
