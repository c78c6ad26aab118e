"""Stored records, checked against the class of their input without writing them as JSON first. Pure.

A partial write leaves most of a record as it is, and all of it has to be sound. The types here are those of
the class, with what ``storage.codec`` makes of them in place of what comes over the wire.
"""

import types
from collections.abc import Hashable, Iterable, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from typing import Annotated, Any, Final, Union, get_args, get_origin

from bson import Decimal128, ObjectId
from pydantic import (
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    Field,
    GetCoreSchemaHandler,
    InstanceOf,
    PlainSerializer,
    TypeAdapter,
    WithJsonSchema,
)
from pydantic.fields import FieldInfo
from pydantic_core import CoreSchema, SchemaValidator, core_schema

from runtime.fast.decimals import as_decimal, has_no_minus, is_plain
from runtime.model.record import COPIED_MEMBERS, IsObjectId, members
from runtime.model.record_type import RecordType
from runtime.model.scalars import INT64, ExactDecimal, IsoText, mark_type

_FROM_TEXT = (ExactDecimal, IsoText, PlainSerializer, WithJsonSchema)
"""Marks that say how a value comes and goes, not which values are good."""


_NOT_NEGATIVE: Final = Field(ge=0).metadata


class _Unknown(Exception):
    """A type whose stored form cannot be checked here."""


def is_sound(kind: RecordType[Any], stored: dict[str, Any], only: frozenset[str]) -> bool:
    """Whether these members of a stored record would be accepted if they were sent as they are read.

    No required one may be missing (hidden ones may). False, too, where it takes the class itself to decide.
    """
    check = _check(kind, only)
    return check is not None and check.isinstance_python(stored)


def is_settled(value: Any) -> bool:
    """Whether a single value is stored as ``runtime.storage.codec`` would store what is written of it."""
    if type(value) is Decimal128:
        return is_plain(value)
    return type(value) in (str, bool) or (type(value) is int and -INT64 <= value < INT64)


def freeze(value: Any) -> Hashable:
    """Return what is equal for equal stored values, and can be looked up among 100,000 others in one step."""
    if isinstance(value, dict):
        return frozenset((name, freeze(one)) for name, one in value.items())
    if isinstance(value, list):
        return tuple(map(freeze, value))
    frozen: Hashable = value.bid if isinstance(value, Decimal128) else value
    try:
        hash(frozen)
    except TypeError:  # of types that only other programs store
        return repr(value)
    return frozen


def freeze_meaning(value: Any) -> Hashable:
    """Return what is equal for values that mean the same: decimals by number, references by target."""
    return freeze(_reduce(value))


def _reduce(value: Any) -> Any:
    if isinstance(value, Decimal128):
        number = value.to_decimal()
        return number if number.is_finite() else value
    if isinstance(value, list):
        return [_reduce(one) for one in value]
    if not isinstance(value, dict):
        return value
    left_out = COPIED_MEMBERS if "entityId" in value else frozenset()
    return {name: _reduce(one) for name, one in value.items() if name not in left_out}


@lru_cache(maxsize=1024)
def _check(kind: RecordType[Any], only: frozenset[str]) -> SchemaValidator | None:
    try:
        schema = _object(kind.input, only=only, hidden=kind.hidden)
    except _Unknown:
        return None
    return SchemaValidator(schema)


def _object(
    model: type[BaseModel], only: Set[str] | None = None, hidden: Set[str] = frozenset()
) -> CoreSchema:
    """Build the schema of an object. ``only``: the members that are looked at; by default all."""
    return core_schema.typed_dict_schema(
        {
            name: core_schema.typed_dict_field(
                TypeAdapter(_as_stored(info.annotation, tuple(info.metadata))).core_schema,
                required=info.is_required() and name not in hidden,
            )
            for name, (_own_name, info) in members(model).items()
            if only is None or name in only
        },
        extra_behavior="forbid" if only is None else "ignore",
        config=core_schema.CoreConfig(strict=True, allow_inf_nan=False),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _By:
    """Marks a type that is checked by a schema of its own."""

    schema: CoreSchema

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return self.schema


def _as_stored(annotation: Any, marks: tuple[Any, ...] = ()) -> Any:
    """Convert a type of input to the type of what is stored. Raises ``_Unknown``."""
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _as_stored(arguments[0], (*marks, *arguments[1:]))
    if origin in (Union, types.UnionType):
        one, *others = (argument for argument in arguments if argument is not types.NoneType)
        if others:
            raise _Unknown
        return _as_stored(one, marks) | None
    if any(isinstance(mark, IsObjectId) for mark in marks):
        return InstanceOf[ObjectId]
    if annotation in (Decimal, AwareDatetime):
        rules = [one for mark in marks for one in _rules(mark)]
        return _decimal(rules) if annotation is Decimal else _timestamp_schema(rules)
    if origin is list:
        annotation = types.GenericAlias(list, (_as_stored(arguments[0]),))
    elif origin is dict:
        annotation = types.GenericAlias(dict, (str, _as_stored(arguments[1])))
    elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
        annotation = Annotated[Any, _By(_object(annotation))]
    return mark_type(annotation, marks)


def _rules(mark: Any) -> Iterable[Any]:
    """Return what a mark requires of values; nothing where it describes how they are read or written."""
    if isinstance(mark, _FROM_TEXT):
        return ()
    return mark.metadata if isinstance(mark, FieldInfo) else (mark,)


def _timestamp_schema(rules: Sequence[Any]) -> Any:
    if rules:
        raise _Unknown
    return datetime


def _decimal(rules: Sequence[Any]) -> Any:
    if rules == _NOT_NEGATIVE:  # as amounts are: the sign tells it
        return Annotated[Any, _By(core_schema.no_info_plain_validator_function(_not_negative))]
    return mark_type(Decimal, [*rules, BeforeValidator(_as_decimal)])


def _not_negative(value: Any) -> Any:
    if type(value) is Decimal128 and has_no_minus(value):
        return value
    raise ValueError("is not a decimal, or is negative")


def _as_decimal(value: Any) -> Decimal:
    if type(value) is Decimal128:
        return as_decimal(value)
    raise ValueError("is not a decimal")
