"""Colour, from specs/shop/colour.yaml. Written by the generator; do not edit."""

from runtime.model.record import Record, RecordInput, Strict


class ColourFields(Strict):
    """The fields that are both sent and read."""


class ColourInput(ColourFields, RecordInput):
    """A colour (as sent)."""


class Colour(ColourFields, Record):
    """A colour."""
