"""Record types as JSON, so that a later run need not resolve them again.

Compact, since there are hundreds of them with dozens of fields: a type without further words is its name, and
of a field there is only what differs from the default.
"""

from __future__ import annotations

import hashlib
from dataclasses import MISSING, fields, replace
from typing import Any, TypeVar

import orjson

from generator.model.fields import Field, Kind, Type
from generator.model.model import Digests, Record
from generator.naming import ClassName, Constant, FileName, PythonName
from generator.operations import BY_KEY
from runtime.model.record_type import Constraint, Index

_OPTIONAL_OF_FIELD = tuple((one.name, one.default) for one in fields(Field) if one.default is not MISSING)
_PLAIN_OF_RECORD = (
    *("area", "domain", "plural", "description", "path", "collection", "source", "display", "audited"),
    *("persistent_events", "changes", "lenient", "on_delete", "dynamic_attributes", "ontology"),
    *("renamed_from", "is_system"),
)
_SIMPLE = {str(kind): Type(kind) for kind in Kind}
NameT = TypeVar("NameT", bound=str)


def encode_record(record: Record) -> str | None:
    """Render a record type; None for one that would be read as another."""
    rest = {
        "names": [record.name, record.constant, record.file_name],
        "fields": [_encode_field(one) for one in record.fields],
        "operations": [row.key for row in record.operations],
        "roles": record.roles,
        "constraints": [[one.when, one.message] for one in record.constraints],
        "indexes": [
            [one.keys, one.unique, one.per_realm, one.expire_after_seconds, one.language]
            for one in record.indexes
        ],
    }
    try:
        text = orjson.dumps([{word: getattr(record, word) for word in _PLAIN_OF_RECORD}, rest]).decode()
    except TypeError:  # an integer of more than 64 bits
        return None
    return text if decode_record(text) == record else None


def hash_record(record: Record, text: str) -> Digests:
    """Hash a record type that was rendered."""
    bare = encode_record(replace(record, fields=(), indexes=())) or ""
    return Digests(*(hashlib.sha256(one.encode()).hexdigest() for one in (text, bare)))


def decode_record(text: str) -> Record:
    """Read a record type that was rendered."""
    plain, rest = orjson.loads(text)
    name, constant, file_name = rest["names"]
    return Record(
        name=_read_name(ClassName, name),
        constant=_read_name(Constant, constant),
        file_name=_read_name(FileName, file_name),
        fields=tuple(map(_decode_field, rest["fields"])),
        operations=tuple(BY_KEY[key] for key in rest["operations"]),
        roles=tuple(rest["roles"]),
        constraints=tuple(Constraint(*one) for one in rest["constraints"]),
        indexes=tuple(Index(tuple(map(tuple, keys)), *words) for keys, *words in rest["indexes"]),
        **plain,
    )


def _read_name(kind: type[NameT], name: str) -> NameT:
    """Return a name that was checked when the record type was resolved."""
    return str.__new__(kind, name)


def _encode_field(field: Field) -> list[Any]:
    said = {
        name: value for name, default in _OPTIONAL_OF_FIELD if (value := getattr(field, name)) is not default
    }
    row = [field.name, field.python_name, _encode_type(field.type)]
    return [*row, said] if said else row


def _decode_field(row: list[Any]) -> Field:
    name, python_name, kind, *said = row
    return Field(name, _read_name(PythonName, python_name), _decode_type(kind), **(said[0] if said else {}))


def _encode_type(kind: Type) -> Any:
    if kind == _SIMPLE[kind.kind]:
        return kind.kind
    item = kind.item and _encode_type(kind.item)
    below = [_encode_field(one) for one in kind.fields]
    return [kind.kind, item, below, kind.class_name, kind.values, kind.target, kind.constraints]


def _decode_type(row: Any) -> Type:
    if isinstance(row, str):
        return _SIMPLE[row]
    kind, item, below, class_name, values, target, constraints = row
    return Type(
        Kind(kind),
        item and _decode_type(item),
        tuple(map(_decode_field, below)),
        class_name and _read_name(ClassName, class_name),
        tuple(values),
        target,
        constraints,
    )
