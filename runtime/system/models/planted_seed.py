"""PlantedSeed, from runtime/system/specs/system/planted_seed.yaml. Written by the generator; do not edit."""

from runtime.model.record import RecordInput, Strict


class PlantedSeedPlanted(Strict):
    """Part of PlantedSeed."""

    ref_name: str
    version: int


class PlantedSeed(RecordInput):
    """The seeds of one record type (its refName) that a tenant has received, so that none is planted twice."""

    planted: list[PlantedSeedPlanted]
