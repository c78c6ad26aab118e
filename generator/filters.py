"""Filters and hidden fields in specifications, checked by the code that will use them at run time."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from generator.model import Field, Kind, Record, Structure, Type
from generator.problems import did_you_mean
from runtime.errors import RequestError, UnknownField
from runtime.filter import (
    OWN_ID,
    OwnId,
    Undecidable,
    admits,
    compile_filter,
    compile_rule_filter,
    named_fields,
    parse_order,
    parse_projection,
)
from runtime.model import record as wire
from runtime.model.field_type import FieldType, ValueKind, model_fields
from runtime.model.paths import top_of
from runtime.model.record_type import RecordType
from runtime.permissions import hideable

Structures = Mapping[str, Structure]

VARIABLES = frozenset(
    {
        *("ownerId", "principalId", "resourceId", "action", "functionalDomain", "pTenantId", "pAccountId"),
        *("rTenantId", "rAccountId", "realm", "area", "roles"),
    }
)
"""The variables of the filter language."""

_SOME_ID = "0" * 24
_WITH_IDS: Mapping[str, str | OwnId | tuple[str, ...]] = {
    **dict.fromkeys(VARIABLES, _SOME_ID),
    "resourceId": OWN_ID,
    "roles": (_SOME_ID,),
}
_WITH_NAMES = {**_WITH_IDS, "ownerId": "ann@acme", "principalId": "ann@acme"}
"""Values of variables. Tenants and accounts are more often called by ids of records than users are."""

_FAILS = "an ALLOW matches no record, a DENY every one"

_EMPTY_LIST = re.compile(r"\^\[\s*\]")
_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_VARIABLE = re.compile(r"\$\{([^}]*)\}")

_COMMON = model_fields(wire.Record)
_REFERENCE = FieldType(ValueKind.OBJECT, fields=model_fields(wire.EntityReference), is_reference=True)
_ATTRIBUTE = FieldType(ValueKind.OBJECT, fields=model_fields(wire.DynamicAttribute))
_ATTRIBUTES = FieldType(ValueKind.MAP, item=FieldType(ValueKind.MAP, item=_ATTRIBUTE))
_SAME_NAME = {str(kind) for kind in ValueKind}


def filter_problem(text: str, record: Record, structures: Structures) -> str | None:
    """Return what is wrong with a filter over a record, or None. Variables get their values later."""
    try:
        compile_filter(text, _describe(record, structures), {"resourceId": OWN_ID}, for_rule=True)
    except RequestError as error:
        return error.message
    return None


def find_undecided(text: str, record: Record, structures: Structures) -> str | None:
    """Return why a rule's filter, which compiles, is not decided for callers with usual ids, or None."""
    if not list_variables(text):
        return None
    described = _describe(record, structures)
    try:
        compile_rule_filter(text, described, _WITH_IDS)
    except RequestError as error:
        return f"{error.message}; as it is, {_FAILS}"
    except Undecidable:  # for this id, but maybe not for others, as of an enumerated value
        return None
    try:
        compile_rule_filter(text, described, _WITH_NAMES)
    except Undecidable as error:
        return f"{error} where users have ids such as ann@acme: for them {_FAILS}"
    return None


def filter_decision(
    record: Record, structures: Structures
) -> Callable[[str, Mapping[str, object]], bool | None]:
    """Return what decides whether a filter finds a record that would be stored as a document.

    It returns None for a filter that one document cannot decide, or that does not compile.
    """
    described = _describe(record, structures)

    def decide(text: str, document: Mapping[str, object]) -> bool | None:
        if list_variables(text):
            return None
        try:
            return admits(compile_filter(text, described, for_rule=True), document)
        except (RequestError, ValueError):
            return None

    return decide


def list_variables(text: str) -> list[str]:
    """List the variables that a filter names, in their order; quoted text names none."""
    return _VARIABLE.findall(_QUOTED.sub("", text))


def variable_problem(text: str, known: Collection[str] = VARIABLES) -> str | None:
    """Return which unknown variable a filter names, or None: nothing would match it."""
    unknown = next((name for name in list_variables(text) if name not in known), None)
    if unknown is None:
        return None
    return f"the filter names the unknown variable ${{{unknown}}}{did_you_mean(unknown, known)}"


def fixed_problem(text: str) -> str | None:
    """Return what is wrong with a filter that nobody completes: an unknown variable, or a list of nothing."""
    if _EMPTY_LIST.search(_QUOTED.sub('""', text)):
        return "the list ^[] of the filter is empty: write its values, or remove it"
    return variable_problem(text)


def list_problem(word: str, text: str, record: Record, structures: Structures) -> tuple[str, bool] | None:
    """Return what is wrong with ``sort`` or ``projection``, and whether a field is unknown, or None."""
    parse: Callable[..., object] = parse_order if word == "sort" else parse_projection
    try:
        parse(text, _describe(record, structures), _hidden(record))
    except RequestError as error:
        return error.message, isinstance(error, UnknownField)
    return None


def list_paths(text: str) -> frozenset[str]:
    """List the paths that a filter names; none of a text that cannot be read."""
    try:
        return named_fields(text)
    except RequestError:
        return frozenset()


def list_words(record: Record, structures: Structures) -> frozenset[str]:
    """List the words of all enumerated fields of a record, and of what is inside of it."""
    return frozenset(_list_words(_describe(record, structures).fields.values()))


def _list_words(types: Iterable[FieldType]) -> Iterable[str]:
    for one in types:
        yield from one.values
        yield from _list_words([*([one.item] if one.item else []), *one.fields.values()])


def hidden_fields_named(text: str, record: Record) -> list[str]:
    """Return the hidden fields that a filter names, which rules cannot see. The filter must be valid."""
    hidden = {name for name in _hidden(record) if name in text}  # most filters name none and need no parser
    return sorted({path for path in named_fields(text) if top_of(path) in hidden}) if hidden else []


def hiding_problem(path: str, record: Record, structures: Structures) -> str | None:
    """Return why a rule cannot hide the field at ``path``, or None."""
    return hideable.hiding_problem(_describe(record, structures), path)


def _describe(record: Record, structures: Structures) -> _Described:
    attributes = {"dynamicAttributes": _ATTRIBUTES} if record.dynamic_attributes else {}
    return _Described(
        name=record.name,
        area=record.area,
        domain=record.domain,
        model=wire.Record,
        input=wire.RecordInput,
        collection=record.collection,
        base_path=record.path,
        display=record.display,
        calculated={one.name: one.calculated for one in record.fields if one.calculated},
        described={**_COMMON, **attributes, **_fields(record.fields, structures)},
    )


def _hidden(record: Record) -> frozenset[str]:
    return frozenset(one.name for one in record.fields if one.hidden)


@dataclass(frozen=True, eq=False, kw_only=True)
class _Described(RecordType[wire.Record]):
    """A record type known from its specification; hidden fields may be named: rules speak for the server."""

    described: Mapping[str, FieldType] = field(default_factory=dict)

    @cached_property
    def fields(self) -> Mapping[str, FieldType]:
        return self.described


def find_value_kind(kind: Kind) -> ValueKind:
    """Return how values of a type are kept: those that are texts of some form, as texts."""
    if kind in (Kind.REFERENCE, Kind.STRUCTURE):
        return ValueKind.OBJECT
    return ValueKind(kind.value) if kind.value in _SAME_NAME else ValueKind.STRING


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
            return FieldType(find_value_kind(kind), values=found.values)


def _structure(name: str | None, structures: Structures) -> FieldType:
    structure = structures.get(name or "")
    if structure is None:  # broken, and reported elsewhere: anything may be in it
        return FieldType(ValueKind.JSON)
    return FieldType(ValueKind.OBJECT, fields=_fields(structure.fields, structures))
