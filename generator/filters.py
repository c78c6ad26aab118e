"""Filters in specifications, checked by the one engine that will run them (``runtime.filter``)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from generator.model import Field, Kind, Record, Structure, Type
from runtime import record as wire
from runtime.errors import RequestError
from runtime.filter import compile_filter
from runtime.record_type import FieldType, RecordType, ValueKind, model_fields

Structures = Mapping[str, Structure]

_COMMON = model_fields(wire.Record)
_REFERENCE = FieldType(ValueKind.OBJECT, fields=model_fields(wire.EntityReference), is_reference=True)
_SAME_NAME = {str(kind) for kind in ValueKind}


def filter_problem(text: str, record: Record, structures: Structures) -> str | None:
    """What is wrong with a filter over a record, or None. Variables get their values later."""
    kind = _Described(
        name=record.name,
        area=record.area,
        domain=record.domain,
        model=wire.Record,
        input=wire.RecordInput,
        collection=record.collection,
        base_path=record.path,
        described={**_COMMON, **_fields(record.fields, structures)},
    )
    try:
        compile_filter(text, kind, for_rule=True)
    except RequestError as error:
        return error.message
    return None


@dataclass(frozen=True, eq=False)
class _Described(RecordType[wire.Record]):
    """A record type known from its specification; hidden fields may be named: rules speak for the server."""

    described: Mapping[str, FieldType] = field(default_factory=dict)

    @cached_property
    def fields(self) -> Mapping[str, FieldType]:
        return self.described


def _fields(fields: Iterable[Field], structures: Structures) -> dict[str, FieldType]:
    return {one.name: _type(one.type, structures) for one in fields}


def _type(found: Type, structures: Structures) -> FieldType:
    match found.kind:
        case Kind.REFERENCE:
            return _REFERENCE
        case Kind.LIST | Kind.MAP:
            item = _type(found.item, structures) if found.item else None
            return FieldType(ValueKind(found.kind.value), item=item)
        case Kind.OBJECT:
            return FieldType(ValueKind.OBJECT, fields=_fields(found.fields, structures))
        case Kind.STRUCTURE:
            return _structure(found.target, structures)
        case kind:
            plain: Any = kind.value if kind.value in _SAME_NAME else ValueKind.STRING
            return FieldType(ValueKind(plain), values=found.values)


def _structure(name: str | None, structures: Structures) -> FieldType:
    structure = structures.get(name or "")
    if structure is None:  # broken, and reported elsewhere: anything may be in it
        return FieldType(ValueKind.JSON)
    return FieldType(ValueKind.OBJECT, fields=_fields(structure.fields, structures))
