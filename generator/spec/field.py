"""A field: one word that gives its type, constraint words of JSON Schema, and what the service does with it.

Shorthands are spelled out before checking: ``name: string`` means ``{type: string}``, and a ``list:`` or
``map:`` of fields means a list or map of objects with these fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from re import ASCII, fullmatch
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from generator.spec.strict import GraphName, PredicateName, RecordName, Spec, StructureName, word

TYPE_WORDS = ("type", "enum", "list", "map", "object", "structure", "reference", "states")
CONSTRAINT_WORDS = (
    *("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength"),
    *("pattern", "format", "minItems", "maxItems", "uniqueItems"),
)

_DECIMAL = r"-?[0-9]+(\.[0-9]+)?"


def _read_number(value: object) -> object:
    """Convert a quoted decimal to a number. One with more digits than a float can hold is refused."""
    if isinstance(value, str) and fullmatch(_DECIMAL, value, ASCII):
        number = float(value) if "." in value else int(value)
        if Decimal(str(number)) != Decimal(value):
            raise PydanticCustomError("long_bound", "expected a number of at most 15 digits")
        return number
    return value


Number = Annotated[
    int | float,
    BeforeValidator(
        _read_number, json_schema_input_type=int | float | Annotated[str, Field(pattern=f"^{_DECIMAL}$")]
    ),
]


class FieldSpec(Spec):
    """One field of a record, a structure, an object, or an argument."""

    type: str | None = word("A scalar type: string, text, integer, number, decimal, boolean, date, …")
    enum: list[str] | None = word("The allowed values, as text.")
    list_: FieldSpec | None = word("A list: the type of one item, or the fields of an object.", alias="list")
    map_: FieldSpec | None = word("A map from text: the type of one value, or its fields.", alias="map")
    object_: dict[str, FieldSpec] | None = word("A nested object with these fields.", alias="object")
    structure: StructureName | None = word("A shared nested object: the name of a structure.")
    reference: RecordName | None = word("A pointer to another record: the name of its record type.")
    states: GraphName | None = word("A value governed by this state graph.")

    description: str | None = word("What the field means, for the API document.")
    required: bool = word("Must be sent with every save.", default=False)
    default: Any = word("The value of a field that is not sent.")
    example: Any = word("A value for the API document.")
    deprecated: bool = word("Marked as deprecated in the API document.", default=False)

    minimum: Number | None = word("Smallest value.")
    maximum: Number | None = word("Largest value.")
    exclusive_minimum: Number | None = word("Values are greater than this.")
    exclusive_maximum: Number | None = word("Values are less than this.")
    multiple_of: Number | None = word("Values are a multiple of this.")
    min_length: int | None = word("Fewest characters.")
    max_length: int | None = word("Most characters.")
    pattern: str | None = word("A regular expression that is found in the text; ^ and $ for the whole.")
    format: str | None = word("email, uri, uuid, hostname, ipv4, ipv6, time or duration.")
    min_items: int | None = word("Fewest items of a list.")
    max_items: int | None = word("Most items of a list.")
    unique_items: bool | None = word("No item of a list comes twice.")

    unique: bool = word("No two records of a tenant share the value.", default=False)
    indexed: bool = word("An index serves filters and sorts over the field.", default=False)
    hidden: bool = word("Never leaves the store.", default=False)
    read_only: bool = word("Written by the server; what a caller sends is ignored.", default=False)
    immutable: bool = word("Set once, never changed.", default=False)
    calculated: str | None = word('Made by the server: a template such as "{code} {name}", or a name.')
    set_by: Literal["server"] | None = word("server: written by the service itself.")
    renamed_from: str | None = word("The former name: what records hold under it is read as this field.")
    track: bool = word("Keep a back-reference on the target and refuse its deletion.", default=False)
    predicate: PredicateName | None = word("The predicate of the ontology that the reference states.")

    @model_validator(mode="before")
    @classmethod
    def spelled_out(cls, value: Any) -> Any:
        """Write shorthands in full."""
        if isinstance(value, str):
            return {"type": value}
        if isinstance(value, Mapping) and ("list" in value or "map" in value):
            return {key: _item(inner) if key in ("list", "map") else inner for key, inner in value.items()}
        return value


def _item(value: Any) -> Any:
    return {"object": value} if isinstance(value, Mapping) and not _gives_type(value) else value


def _gives_type(value: Mapping[Any, Any]) -> bool:
    """Whether a mapping is one field rather than fields: it has a type word whose value has its shape."""
    nested = any(isinstance(value.get(name), Mapping | str) for name in ("list", "map"))
    named = any(isinstance(value.get(name), str) for name in ("type", "structure", "reference", "states"))
    return nested or named or isinstance(value.get("enum"), list) or isinstance(value.get("object"), Mapping)


Fields = dict[str, FieldSpec]
