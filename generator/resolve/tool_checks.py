"""What a tool says about its record type: filters, arguments, states."""

import re

from generator.model import Kind, Record, Structure, Type
from generator.problems import did_you_mean
from generator.resolve.context import Spot
from generator.resolve.paths import COMMON_NAMES
from generator.spec import ToolSpec

VARIABLES = frozenset(
    {
        *("ownerId", "principalId", "resourceId", "action", "functionalDomain", "pTenantId", "pAccountId"),
        *("rTenantId", "rAccountId", "realm", "area", "roles"),
    }
)
"""The variables of the filter language."""

_VARIABLE = re.compile(r"\$\{([^}]*)\}")
_MAX_LIMIT = 1000
_NO_VALUES = frozenset({Kind.OBJECT, Kind.STRUCTURE, Kind.MAP, Kind.JSON, Kind.LIST})


def check_on_record(spot: Spot, spec: ToolSpec, deed: str, record: Record, arguments: Structure) -> None:
    """Check a tool that is about records of one type."""
    if spec.limit is not None and not 1 <= spec.limit <= _MAX_LIMIT:
        spot.report("SPEC082", f"limit is not within 1 and {_MAX_LIMIT}", "limit")
    if spec.filter is not None:
        _check_filter(spot, spec.filter, arguments, record)
    if deed == "transition":
        _check_transition(spot, spec, record, arguments)
    if deed in ("save", "transition"):
        known = (
            COMMON_NAMES
            | {field.name for field in record.fields}
            | ({"to"} if deed == "transition" else set())
        )
        for name in (field.name for field in arguments.fields if field.name not in known):
            message = f'{record.name} has no field "{name}"{did_you_mean(name, known)}'
            spot.within("arguments").report_key("SPEC034", message, name)
    if {"query": "list", "transition": "patch"}.get(deed, deed) not in {row.key for row in record.operations}:
        spot.report("SPEC082", f"{record.name} does not offer this operation", deed)


def _check_filter(spot: Spot, text: str, arguments: Structure, record: Record) -> None:
    given = {field.name: field for field in arguments.fields}
    for name in _VARIABLE.findall(text):
        if name not in given.keys() | VARIABLES:
            near = did_you_mean(name, given.keys() | VARIABLES)
            spot.report("SPEC080", f"the filter names the unknown variable ${{{name}}}{near}", "filter")
            return
        if name in given and not given[name].required and given[name].default is None:
            message = f"the filter needs ${{{name}}}: make the argument required, or give it a default"
            spot.report("SPEC080", message, "filter")
            return
        if name in given and _innermost(given[name].type).kind in _NO_VALUES:
            spot.report("SPEC080", f"${{{name}}} is no single value, nor a list of them", "filter")
            return
    if wrong := spot.context.filter_problem(text, record):
        spot.report("SPEC080", f"the filter does not compile: {wrong}", "filter")


def _innermost(kind: Type) -> Type:
    return kind.item if kind.kind is Kind.LIST and kind.item else kind


def _check_transition(spot: Spot, spec: ToolSpec, record: Record, arguments: Structure) -> None:
    required = {field.name: field.type for field in arguments.fields if field.required}
    if "id" not in required or required["id"].kind is not Kind.OBJECT_ID:
        spot.report("SPEC082", "a transition needs the argument id: {type: objectId, required: true}")
    if spec.to is None and "to" not in required:
        spot.report("SPEC082", "name the state with to, or take it as a required argument of that name")
    fields = {field.name: field.type for field in record.fields if field.type.kind is Kind.STATES}
    if spec.field is None:
        if len(fields) != 1:
            spot.report("SPEC082", f"{record.name} has {len(fields)} state fields: name one with field")
        chosen = next(iter(fields.values()), None)
    elif spec.field not in fields:
        near = did_you_mean(spec.field, fields)
        spot.report("SPEC034", f'{record.name} has no state field "{spec.field}"{near}', "field")
        return
    else:
        chosen = fields[spec.field]
    if chosen and spec.to is not None and spec.to not in chosen.values:
        near = did_you_mean(spec.to, chosen.values)
        spot.report("SPEC061", f'{chosen.target} has no state "{spec.to}"{near}', "to")
