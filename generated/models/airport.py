"""Airport, from specs/logistics/airport.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import EntityReference, Record, RecordInput, Strict


class AirportFields(Strict):
    """The fields that are both sent and read."""

    icao: Annotated[str, Field(pattern="^[A-Z0-9_-]{2,7}$")]
    iata: Annotated[str | None, Field(pattern="^[A-Z0-9]{3}$")] = None
    name: Annotated[str, Field(max_length=200, min_length=1)]
    city: Annotated[str | None, Field(max_length=200)] = None
    subdivision: Annotated[str | None, Field(max_length=200)] = None
    country: EntityReference
    elevation_ft: Annotated[
        int | None, Field(ge=-2000, le=30000, description="Elevation above sea level, in feet.")
    ] = None
    latitude: Annotated[float | None, Field(ge=-90.0, le=90.0)] = None
    longitude: Annotated[float | None, Field(ge=-180.0, le=180.0)] = None
    time_zone: Annotated[str | None, Field(max_length=64)] = None


class AirportInput(AirportFields, RecordInput):
    """An airport, identified by its ICAO code (as sent)."""


class Airport(AirportFields, Record):
    """An airport, identified by its ICAO code."""
