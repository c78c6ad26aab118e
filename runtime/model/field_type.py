"""The types of fields, read from Pydantic classes, and the type at a dotted path."""

from __future__ import annotations

import types
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import AwareDatetime, BaseModel

from runtime.errors import Misconfigured
from runtime.model.record import EntityReference, IsObjectId, members
from runtime.model.scalars import IsAttribute

_FEW = 3


class ValueKind(StrEnum):
    """How the store keeps a value, hence how text is read into one and how it is written."""

    STRING = "string"
    INTEGER = "integer"
    NUMBER = "number"
    DECIMAL = "decimal"
    BOOLEAN = "boolean"
    DATE = "date"
    DATETIME = "datetime"
    OBJECT_ID = "objectId"
    JSON = "json"
    OBJECT = "object"
    LIST = "list"
    MAP = "map"


@dataclass(frozen=True, slots=True)
class FieldType:
    """The type of one field: ``fields`` for objects (wire names), ``item`` for lists and maps."""

    kind: ValueKind
    fields: Mapping[str, FieldType] = field(default_factory=dict)
    item: FieldType | None = None
    values: tuple[str, ...] = ()
    is_reference: bool = False
    is_attribute: bool = False  # the value of a dynamic attribute: free-form, with moments and ids

    @property
    def innermost(self) -> FieldType:
        """The type of the items, of lists of lists too; the type itself of anything else."""
        return self.item.innermost if self.kind is ValueKind.LIST and self.item else self

    @property
    def form(self) -> str:
        """How an object of few members is written, or a list of them; empty for anything else."""
        if self.kind is ValueKind.LIST and self.item:
            return f"[{self.item.form}]" if self.item.form else ""
        shown = ", ".join(f'"{name}": …' for name in self.fields)
        return f"{{{shown}}}" if 0 < len(self.fields) <= _FEW and not self.is_reference else ""

    @property
    def has_members(self) -> bool:
        """Whether it is an object or a map, or a list of them; a reference is a value."""
        inner = self.innermost
        return inner.kind in (ValueKind.OBJECT, ValueKind.MAP) and not inner.is_reference


def find_field(fields: Mapping[str, FieldType], path: str) -> FieldType | None:
    """Find the type at a dotted path; steps through lists and maps as MongoDB does.

    Returns None for a path that is not declared.
    """
    here: FieldType | None = FieldType(ValueKind.OBJECT, fields=fields)
    for step in path.split("."):
        while here is not None and here.kind is ValueKind.LIST:
            here = here.item
        here = None if here is None else inside(here, step)
    return here


def inside(here: FieldType, step: str) -> FieldType | None:
    """Return the type of a member of a field; None where it has none of that name."""
    if not step or step[0] == "$" or "\0" in step:
        return None  # MongoDB could not take it for a name, whatever the map
    if here.kind is ValueKind.MAP:
        return here.item
    if here.kind is ValueKind.JSON:
        return here
    return here.fields.get(step)


@lru_cache(maxsize=4096)
def model_fields(model: type[BaseModel]) -> Mapping[str, FieldType]:
    """Read the fields of a Pydantic class: wire name → field type."""
    return {
        name: _field_type(info.annotation, tuple(info.metadata))
        for name, (_own_name, info) in members(model).items()
    }


_SCALARS: dict[Any, ValueKind] = {
    str: ValueKind.STRING,
    int: ValueKind.INTEGER,
    float: ValueKind.NUMBER,
    Decimal: ValueKind.DECIMAL,
    bool: ValueKind.BOOLEAN,
    date: ValueKind.DATE,
    datetime: ValueKind.DATETIME,
    AwareDatetime: ValueKind.DATETIME,
    Any: ValueKind.JSON,
    object: ValueKind.JSON,
}


def _field_type(annotation: Any, metadata: tuple[Any, ...]) -> FieldType:
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _field_type(arguments[0], (*metadata, *arguments[1:]))
    if origin in (Union, types.UnionType):
        chosen = next(a for a in arguments if a is not type(None))
        return _field_type(chosen, metadata)
    if origin is list:
        return FieldType(ValueKind.LIST, item=_field_type(arguments[0], ()))
    if origin is dict:
        return FieldType(ValueKind.MAP, item=_field_type(arguments[1], ()))
    if origin is Literal:
        return FieldType(ValueKind.STRING, values=tuple(map(str, arguments)))
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        is_reference = issubclass(annotation, EntityReference)
        return FieldType(ValueKind.OBJECT, fields=model_fields(annotation), is_reference=is_reference)
    if any(isinstance(mark, IsObjectId) for mark in metadata):
        return FieldType(ValueKind.OBJECT_ID)
    if any(isinstance(mark, IsAttribute) for mark in metadata):
        return FieldType(ValueKind.JSON, is_attribute=True)
    kind = _SCALARS.get(annotation)
    if kind is None:
        raise Misconfigured(f"no field type for {annotation!r}")
    return FieldType(kind)
