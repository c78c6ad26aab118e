"""Checked input → stored documents: one codec per record type, compiled once from its field types.

Stored: object ids as ObjectId, decimals as Decimal128, date-times as naive UTC in milliseconds, dates as
text. Absent and null fields are left out.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal, DecimalException
from functools import lru_cache
from types import NoneType
from typing import Any, Final

from bson import Decimal128, ObjectId
from pydantic import BaseModel, TypeAdapter

from runtime.fast.decimals import decimal128
from runtime.model.attribute_names import MEMBER
from runtime.model.clock import as_stored
from runtime.model.field_type import FieldType, ValueKind
from runtime.model.mappings import without_nones
from runtime.model.record import Strict, members
from runtime.model.record_type import RecordType
from runtime.model.scalars import mark_type
from runtime.storage.storable import check_integer, check_key, free_form, refuse_value, store_attribute_name

Document = dict[str, Any]
Converter = Callable[[Any, str], Any]


def encode_document(kind: RecordType[Any], record: BaseModel, only: frozenset[str] | None = None) -> Document:
    """Convert checked input to a document to store; ``id`` becomes ``_id``.

    ``only`` restricts it to these members of the class, without defaults. Raises ``ValidationFailed`` for
    what BSON cannot hold: integers beyond 64 bits, decimals beyond 34 digits, timestamps outside the years
    1 to 9999, keys with ``$``, ``.`` or NUL, JSON deeper than 32 levels or with numbers that are not finite.
    """
    values = None if only is None else _convert_values(kind, record, only)
    if values is None:
        # Lenient input may hold the default of its strict class, of which Pydantic would warn.
        values = record.model_dump(
            include=None if only is None else set(only),
            exclude_none=True,
            exclude_unset=only is not None,
            warnings=False,
        )
        for name, convert in _converters(kind).items():  # in order: report the first invalid field
            if name in values:
                values[name] = convert(values[name], name)
    if "id" in values:
        values = {"_id": ObjectId(values.pop("id")), **values}
    return values


def encode_member(kind: RecordType[Any], name: str, sent: str | float | bool) -> Any:
    """Convert a single JSON value, checked by the type of its member, to its stored form.

    Raises ``pydantic.ValidationError``, and ``ValidationFailed`` as ``encode_document`` does.
    """
    check, convert = _member(kind, name)
    value = check(sent)
    return value if convert is None or value is None else convert(value, name)


@lru_cache(maxsize=4096)
def _member(kind: RecordType[Any], name: str) -> tuple[Callable[[Any], Any], Converter | None]:
    _own_name, info = members(kind.input)[name]
    annotation = info.annotation
    # Pydantic refuses a config for a class, which has its own.
    is_class = isinstance(annotation, type) and issubclass(annotation, BaseModel)
    config = None if is_class else Strict.model_config
    check = TypeAdapter(mark_type(annotation, info.metadata), config=config).validator
    return check.validate_python, _converters(kind).get(name)


_SINGLE: Final = frozenset({NoneType, str, int, float, bool, Decimal, datetime, date})


def _convert_values(kind: RecordType[Any], record: BaseModel, names: frozenset[str]) -> Document | None:
    """Convert a few members as ``model_dump`` does.

    Returns None where one of them is more than a single value.
    """
    values: Document = {}
    sent = record.model_fields_set
    for own, name, convert in _members(kind, type(record), names):
        if own in sent:
            value = getattr(record, own)
            if type(value) not in _SINGLE:
                return None
            if value is not None:
                values[name] = value if convert is None else convert(value, name)
    return values


@lru_cache(maxsize=4096)
def _members(
    kind: RecordType[Any], model: type[BaseModel], names: frozenset[str]
) -> Sequence[tuple[str, str, Converter | None]]:
    """Return, for members of a class in its order, name, wire name and converter."""
    fields = model.model_fields
    own_names = [own for own in fields if own in names]
    wire_names = [fields[own].serialization_alias or fields[own].alias or own for own in own_names]
    return [(own, name, _converters(kind).get(name)) for own, name in zip(own_names, wire_names, strict=True)]


@lru_cache(maxsize=4096)
def _converters(kind: RecordType[Any]) -> Mapping[str, Converter]:
    """Map the fields that need conversion for the store to their converters."""
    found = {name: _converter(field) for name, field in kind.fields.items() if name != "id"}
    if (attributes := kind.fields.get(MEMBER)) is not None:
        found[MEMBER] = _attributes_converter(attributes)
    return without_nones(found)


def _converter(field_type: FieldType) -> Converter | None:
    match field_type.kind:
        case ValueKind.OBJECT:
            return _object_converter(field_type.fields)
        case ValueKind.LIST:
            inner = _converter(field_type.item) if field_type.item else None
            return _list_converter(inner) if inner else None
        case ValueKind.MAP:
            return _map_converter(_converter(field_type.item) if field_type.item else None)
        case kind:
            return _SCALAR_CONVERTERS.get(kind)


def _object_converter(fields: Mapping[str, FieldType]) -> Converter | None:
    needed = without_nones({name: _converter(field_type) for name, field_type in fields.items()})

    def convert_object(value: Document, path: str) -> Document:
        for name, convert in needed.items():
            if name in value:
                value[name] = convert(value[name], f"{path}.{name}")
        return value

    return convert_object if needed else None


def _list_converter(inner: Converter) -> Converter:
    return lambda items, path: [inner(item, f"{path}[{at}]") for at, item in enumerate(items)]


def _map_converter(inner: Converter | None, read_key: Callable[[str, str], str] | None = None) -> Converter:
    key = read_key or check_key

    def convert_map(value: Document, path: str) -> Document:
        return {
            key(name, path): inner(item, f"{path}.{name}") if inner else item for name, item in value.items()
        }

    return convert_map


def _attributes_converter(field_type: FieldType) -> Converter:
    """Build the converter of sets of attributes, whose names may have dots."""
    group = field_type.item
    inner = _converter(group.item) if group and group.item else None
    return _map_converter(_map_converter(inner, store_attribute_name), store_attribute_name)


def _decimal(value: Decimal, path: str) -> Decimal128:
    try:
        return decimal128(value)
    except (DecimalException, ValueError):
        raise refuse_value(path, "has more than the 34 digits a decimal can keep") from None


def _datetime(value: datetime, path: str) -> datetime:
    try:
        return as_stored(value)
    except OverflowError:
        raise refuse_value(path, "is outside the years 1 to 9999 of UTC") from None


_SCALAR_CONVERTERS: Mapping[ValueKind, Converter] = {
    ValueKind.OBJECT_ID: lambda value, _path: ObjectId(value),
    ValueKind.DECIMAL: _decimal,
    ValueKind.INTEGER: check_integer,
    ValueKind.DATETIME: _datetime,
    ValueKind.DATE: lambda value, _path: value.isoformat(),
    ValueKind.JSON: free_form,
}
