"""Dotted paths over resolved fields: through objects, structures, references, lists and maps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from generator.model import Field, Kind, Structure, Type
from generator.naming import PythonName
from runtime.record import EntityReference, Record
from runtime.record_type import FieldType, model_fields

SERVER_NAMES = frozenset({"persistentEvents", "dynamicAttributes", "invalid", "violations"})
"""Common fields of the record types that ask for them."""


@dataclass(frozen=True, slots=True)
class Missing:
    """A step that leads nowhere, and what is known there."""

    step: str
    known: tuple[str, ...]


def _type(found: FieldType) -> Type:
    item = _type(found.item) if found.item else None
    return Type(Kind(found.kind.value), item=item, fields=_fields(found.fields), values=found.values)


def _fields(found: Mapping[str, FieldType]) -> tuple[Field, ...]:
    return tuple(Field(name, PythonName.from_wire(name), _type(kind)) for name, kind in found.items())


COMMON_FIELDS = _fields(model_fields(Record))
"""The common fields of spec 2 §2.1, as fields of the model."""

COMMON_NAMES = frozenset(field.name for field in COMMON_FIELDS) | SERVER_NAMES
"""Names that no record may declare."""

_REFERENCE_FIELDS = _fields(model_fields(EntityReference))


@dataclass(frozen=True, slots=True)
class Paths:
    """Finds types. ``unsure`` are names of fields that are declared but broken: nothing is said of them."""

    structures: Mapping[str, Structure]

    def find(
        self, fields: Iterable[Field], path: str, unsure: frozenset[str] = frozenset()
    ) -> Type | Missing | None:
        """The type at a path, what is missing, or None when that cannot be said."""
        here = Type(Kind.OBJECT, fields=tuple(fields))
        for step in path.split("."):
            while here.kind is Kind.LIST and here.item:
                here = here.item
            if here.kind is Kind.JSON or step in unsure:
                return None
            if here.kind is Kind.MAP and here.item:
                here = here.item
                continue
            below = self.below(here)
            if below is None:
                return None
            found = next((field.type for field in below if field.name == step), None)
            if found is None:
                return Missing(step, tuple(field.name for field in below))
            here = found
            unsure = frozenset()
        return here

    def below(self, here: Type) -> tuple[Field, ...] | None:
        """The fields of an object; none for scalars; None for a structure that is broken."""
        if here.kind is Kind.REFERENCE:
            return _REFERENCE_FIELDS
        if here.kind is Kind.STRUCTURE:
            structure = self.structures.get(here.target or "")
            return structure.fields if structure else None
        return here.fields
