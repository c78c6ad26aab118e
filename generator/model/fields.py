"""Fields and their types, and structures: nested objects that several types share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from generator.naming import ClassName, FileName, PythonName


class Kind(StrEnum):
    """The field types of the specification language."""

    STRING = "string"
    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    DECIMAL = "decimal"
    BOOLEAN = "boolean"
    DATE = "date"
    DATETIME = "datetime"
    OBJECT_ID = "objectId"
    JSON = "json"
    ENUM = "enum"
    LIST = "list"
    MAP = "map"
    OBJECT = "object"
    STRUCTURE = "structure"
    REFERENCE = "reference"
    STATES = "states"


@dataclass(frozen=True, slots=True)
class Type:
    """A field's type. Which members are set follows from ``kind``."""

    kind: Kind
    item: Type | None = None  # LIST, MAP
    fields: tuple[Field, ...] = ()  # OBJECT
    class_name: ClassName | None = None  # OBJECT: the class made for it; STRUCTURE: its class
    values: tuple[str, ...] = ()  # ENUM, STATES
    target: str | None = None  # REFERENCE: record name; STATES: graph name; STRUCTURE: its name
    constraints: Mapping[str, object] = field(default_factory=dict)  # JSON Schema words, checked

    @property
    def element(self) -> Type:
        """The type of one value: that of the items of a list."""
        return self.item if self.kind is Kind.LIST and self.item else self

    @property
    def innermost(self) -> Type:
        """The type of the values in lists and maps, however deep those are nested."""
        return self if self.item is None else self.item.innermost


@dataclass(frozen=True, slots=True)
class Field:
    """One field. ``name`` is the wire name."""

    name: str
    python_name: PythonName
    type: Type
    description: str | None = None
    required: bool = False
    default: object = None  # None: no default (null defaults are not allowed)
    example: object = None
    hidden: bool = False
    read_only: bool = False
    set_by_server: bool = False
    immutable: bool = False
    unique: bool = False
    indexed: bool = False
    deprecated: bool = False
    calculated: str | None = None
    renamed_from: str | None = None
    track: bool = False
    predicate: str | None = None

    @property
    def is_made_by_server(self) -> bool:
        """Whether the server sets the field and ignores what a caller sends."""
        return self.set_by_server or self.read_only or self.calculated is not None


def list_targets(fields: Iterable[Field], kind: Kind) -> Iterator[str]:
    """List what fields of a kind name, those of objects inside as well."""
    for one in fields:
        found = one.type.innermost
        if found.kind is kind and found.target:
            yield found.target
        yield from list_targets(found.fields, kind)


@dataclass(frozen=True, slots=True)
class Structure:
    """A shared nested object."""

    name: ClassName
    file_name: FileName
    area: str
    description: str
    fields: tuple[Field, ...]
    source: str
    snake_case: bool = False
    is_system: bool = False


def walk_fields(
    fields: Iterable[Field], structures: Mapping[str, Structure], path: str = ""
) -> Iterator[tuple[str, Field, Type]]:
    """Yield each field and those of objects inside, with its dotted path and its type within lists.

    ``[]`` behind a name of the path marks a list, ``{}`` a map.
    """
    for one in fields:
        kind, here = one.type, f"{path}{one.name}"
        while kind.kind is Kind.LIST and kind.item:
            kind, here = kind.item, f"{here}[]"
        yield here, one, kind
        while kind.item:
            kind, here = kind.item, f"{here}{'[]' if kind.kind is Kind.LIST else '{}'}"
        structure = structures.get(kind.target or "") if kind.kind is Kind.STRUCTURE else None
        if inner := structure.fields if structure else kind.fields:
            yield from walk_fields(inner, structures, f"{here}.")
