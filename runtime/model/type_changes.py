"""Changes of the type of a field that keep its stored values, as releases and migrations know them."""

from typing import Final, Literal

WIDER: Final[frozenset[tuple[Literal["integer", "number"], Literal["number", "decimal"]]]] = frozenset(
    {("integer", "number"), ("integer", "decimal"), ("number", "decimal")}
)
"""Pairs of types, of which the second has a value for each of the first."""

PLAIN: Final = frozenset({"string", "enum", "states", "integer", "number", "boolean"})
"""What free-form fields hold as it is stored."""
