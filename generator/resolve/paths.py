"""Dotted paths over resolved fields: through objects, structures, references, lists and maps."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from generator.model import Field, Kind, Record, Structure, Type
from generator.naming import PythonName
from generator.problems import did_you_mean
from runtime.model import record
from runtime.model.field_type import FieldType, model_fields
from runtime.model.paths import around

SERVER_NAMES = frozenset({"persistentEvents", "dynamicAttributes", "invalid", "violations"})
"""Common fields of the record types that ask for them."""


@dataclass(frozen=True, slots=True)
class Missing:
    """A step that leads nowhere, and what is known there; ``renamed``: the field that was called so."""

    step: str
    known: tuple[str, ...]
    renamed: str | None = None

    def advise(self) -> str:
        """Return what is meant, as the end of a message."""
        return f'; it is called "{self.renamed}" now' if self.renamed else did_you_mean(self.step, self.known)


def _type(found: FieldType) -> Type:
    item = _type(found.item) if found.item else None
    return Type(Kind(found.kind.value), item=item, fields=_fields(found.fields), values=found.values)


def _fields(found: Mapping[str, FieldType]) -> tuple[Field, ...]:
    return tuple(Field(name, PythonName.from_wire(name), _type(kind)) for name, kind in found.items())


COMMON_FIELDS = _fields(model_fields(record.Record))
"""The fields that all records have."""

COMMON_NAMES = frozenset(one.name for one in COMMON_FIELDS) | SERVER_NAMES
"""Names that no record may declare."""

_ORDER_IN_WORDS = re.compile(r"(\S+)\s+(asc|desc)(?:ending)?", re.IGNORECASE)
_ANYTHING = Type(Kind.JSON)
_REFERENCE_FIELDS = _fields(model_fields(record.EntityReference))


@dataclass(frozen=True, slots=True)
class Paths:
    """Finds types. ``unsure``: class → its fields that are declared but broken; they stay unjudged."""

    structures: Mapping[str, Structure]
    unsure: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def of_record(self, record: Record, path: str) -> Type | Missing | None:
        """Return the type at a path of a record, including its common fields."""
        return self.find(_whole(record), path)

    def find_list_around(self, record: Record, path: str) -> str | None:
        """Return the first list that a path of a record leads into."""
        return next((one for one in around(path) if is_list(self.of_record(record, one))), None)

    def is_broken(self, record: Record, path: str) -> bool:
        """Whether a path of a record leads to or through a field that is declared but broken."""
        here: Type | Missing | None = _whole(record)
        for step in path.split("."):
            if not isinstance(here, Type):
                return False
            while here.kind is Kind.LIST and here.item:
                here = here.item
            if self.is_unsure(here, step) or self.below(here) is None:
                return True
            here = self.find(here, step)
        return False

    def find(self, here: Type, path: str) -> Type | Missing | None:
        """Return the type at a path, what is missing, or None if a broken class hides the answer."""
        for step in path.split("."):
            while here.kind is Kind.LIST and here.item:
                here = here.item
            if here.kind is Kind.JSON or self.is_unsure(here, step):
                return None
            if here.kind is Kind.MAP and here.item:
                here = here.item
                continue
            below = self.below(here)
            if below is None:
                return None
            found = next((one.type for one in below if one.name == step), None)
            if found is None:
                renamed = next((one.name for one in below if one.renamed_from == step), None)
                return Missing(step, tuple(one.name for one in below), renamed)
            here = found
        return here

    def is_unsure(self, here: Type, name: str) -> bool:
        """Whether a class has a field of that name which is broken."""
        return name in self.unsure.get(here.class_name or "", ())

    def below(self, here: Type) -> tuple[Field, ...] | None:
        """Return the fields of an object; empty for scalars, None for a broken structure."""
        if here.kind is Kind.REFERENCE:
            return _REFERENCE_FIELDS
        if here.kind is Kind.STRUCTURE:
            structure = self.structures.get(here.target or "")
            return structure.fields if structure else None
        return here.fields


def _whole(record: Record) -> Type:
    return Type(Kind.OBJECT, fields=known_fields(record), class_name=record.name)


def known_fields(record: Record) -> tuple[Field, ...]:
    """Return the fields of a record, including common ones."""
    asked_for = {"dynamicAttributes": record.dynamic_attributes, "persistentEvents": record.persistent_events}
    more = (Field(name, PythonName.from_wire(name), _ANYTHING) for name, has in asked_for.items() if has)
    return (*record.fields, *COMMON_FIELDS, *more)


def advise_order(path: str) -> str | None:
    """Return what to write for a path with its order in words, as SQL has it; None for another."""
    found = _ORDER_IN_WORDS.fullmatch(path.strip())
    return found and f'; write "{"-" if found[2].lower() == "desc" else ""}{found[1]}"'


def is_list(found: Type | Missing | None) -> bool:
    """Whether what was found at a path is a list."""
    return isinstance(found, Type) and found.kind is Kind.LIST
