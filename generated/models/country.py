"""Country, from specs/logistics/country.yaml. Written by the generator; do not edit."""

from typing import Annotated

from pydantic import Field

from runtime.model.record import Record, RecordInput, Strict


class CountryFields(Strict):
    """The fields that are both sent and read."""

    name: Annotated[str, Field(max_length=100, min_length=1)]
    code: Annotated[str, Field(pattern="^[A-Z]{2}$")]


class CountryInput(CountryFields, RecordInput):
    """A country, identified by its ISO 3166-1 alpha-2 code (as sent)."""


class Country(CountryFields, Record):
    """A country, identified by its ISO 3166-1 alpha-2 code."""
