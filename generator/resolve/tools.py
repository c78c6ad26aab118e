"""Named tools: one action on one target, with typed arguments."""

import re
from collections.abc import Mapping

from generator.model import Argument, Kind, Record, Tool
from generator.naming import PythonName
from generator.problems import did_you_mean
from generator.resolve.context import Context, Spot
from generator.resolve.field_types import build_type
from generator.resolve.fields import build_nested_fields, check_parameter
from generator.resolve.values import Values
from generator.spec import DEEDS, Document, ToolSpec, ToolsSpec

BUILT_IN_TOOLS = frozenset(
    {
        *("query_rootTypes", "query_plan", "query_find", "query_save", "query_delete", "query_deleteMany"),
        *("query_count", "query_export", "query_import_analyze", "query_import_rows", "query_import_commit"),
        *("query_import_cancel", "query_relationships", "query_predicates"),
    }
)
"""The gateway and ontology tools that every service offers."""

VARIABLES = frozenset(
    {
        *("ownerId", "principalId", "resourceId", "action", "functionalDomain", "pTenantId", "pAccountId"),
        *("rTenantId", "rAccountId", "realm", "area", "roles"),
    }
)
"""The variables of the filter language."""

_NAME = re.compile(r"[a-z][A-Za-z0-9_]{0,63}")
_VARIABLE = re.compile(r"\$\{([^}]*)\}")
_SETTINGS = {
    "filter": ("query", "count"),
    "sort": ("query",),
    "projection": ("query",),
    "limit": ("query",),
    "field": ("transition",),
    "to": ("transition",),
}
_MAX_LIMIT = 1000


def build_tools(
    context: Context,
    document: Document[ToolsSpec],
    records: Mapping[str, Record],
    operation_ids: frozenset[str],
    values: Values,
) -> tuple[Tool, ...]:
    """Resolve the tools of one file; report and omit broken ones."""
    found = []
    for position, spec in enumerate(document.spec.tools):
        spot = Spot(context, document, ("tools", position))
        if not _NAME.fullmatch(spec.name):
            message = f'"{spec.name}" is not a tool name: write a lower-case letter, then letters, digits, _'
            spot.report("SPEC020", message, "name")
        elif spec.name in BUILT_IN_TOOLS:
            spot.report(
                "SPEC021", f'"{spec.name}" is a tool that every service has: choose another name', "name"
            )
        elif context.claim("the tool", spec.name, spot.place("name"), rule="SPEC021"):
            tool = _resolve_tool(spot, spec, records, operation_ids, values)
            found += [tool] if tool else []
    return tuple(found)


def _resolve_tool(
    spot: Spot, spec: ToolSpec, records: Mapping[str, Record], operation_ids: frozenset[str], values: Values
) -> Tool | None:
    said = [deed for deed in DEEDS if getattr(spec, deed) is not None]
    arguments = _resolve_arguments(spot.within("arguments"), spec, values)
    if len(said) != 1:
        message = (
            f"{' and '.join(said)}: a tool does one thing" if said else f"write one of {', '.join(DEEDS)}"
        )
        spot.report("SPEC081", message)
        return None
    deed, target = said[0], str(getattr(spec, said[0]))
    settings = {word: getattr(spec, word) for word in _SETTINGS if getattr(spec, word) is not None}
    for word in settings:
        if deed not in _SETTINGS[word]:
            spot.report_key("SPEC082", f'"{word}" says nothing about {deed}', word)
    if deed == "call":
        if not spot.known("endpoints", target, operation_ids, "call"):
            return None
    elif not spot.known("record", target, spot.context.records, deed):
        return None
    elif record := records.get(target):
        _check(spot, spec, deed, record)
    return Tool(
        spec.name,
        spot.document.area,
        spec.description,
        deed,
        target,
        settings,
        arguments,
        spot.document.source,
    )


def _resolve_arguments(spot: Spot, spec: ToolSpec, values: Values) -> tuple[Argument, ...]:
    found = []
    for name, one in spec.arguments.items():
        below = spot.within(name)
        python_name = below.named(PythonName.parameter, name, key=True)
        kind = build_type(below, one, "Argument", name, build_nested_fields)
        if python_name is None or kind is None:
            continue
        check_parameter(below, one, kind, values)
        found.append(Argument(name, python_name, kind, one.required, one.description, one.default))
    return tuple(found)


def _check(spot: Spot, spec: ToolSpec, deed: str, record: Record) -> None:
    if spec.limit is not None and not 1 <= spec.limit <= _MAX_LIMIT:
        spot.report("SPEC082", f"limit is not within 1 and {_MAX_LIMIT}", "limit")
    if spec.filter is not None:
        _check_filter(spot, spec.filter, frozenset(spec.arguments), record)
    if deed == "transition":
        _check_transition(spot, spec, record)


def _check_filter(spot: Spot, text: str, arguments: frozenset[str], record: Record) -> None:
    for name in _VARIABLE.findall(text):
        if name not in arguments | VARIABLES:
            near = did_you_mean(name, arguments | VARIABLES)
            spot.report("SPEC080", f"the filter names the unknown variable ${{{name}}}{near}", "filter")
            return
    if wrong := spot.context.filter_problem(text, record):
        spot.report("SPEC080", f"the filter does not compile: {wrong}", "filter")


def _check_transition(spot: Spot, spec: ToolSpec, record: Record) -> None:
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
