"""Named tools: one action on one target, with typed arguments."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from generator.model import Endpoint, Field, Record, Structure, Tool
from generator.naming import ClassName, FileName, PythonName
from generator.resolve.context import CLASSES_OF_OBJECT, Context, Spot
from generator.resolve.field_types import build_type
from generator.resolve.fields import build_nested_fields, check_parameter
from generator.resolve.roles import stored_area
from generator.resolve.tool_checks import check_on_record
from generator.resolve.values import Values
from generator.spec import DEEDS, Document, ToolSpec, ToolsSpec
from runtime.model.ontology import ONTOLOGY_TOOLS

_NAME = re.compile(r"[a-z][A-Za-z0-9_]{0,63}")
_REMOTE = re.compile(r"[a-z][a-z0-9-]{0,37}/[A-Za-z0-9_.-]{1,128}")
_SETTINGS = {
    "filter": ("query", "count"),
    "sort": ("query",),
    "projection": ("query",),
    "limit": ("query",),
    "field": ("transition",),
    "to": ("transition",),
    "request": ("run",),
    "response": ("run",),
    "read_only": ("run",),
    "destructive": ("run",),
}
_WORDS = {"read_only": "readOnly"}
_ANSWERS = {"query": "QueryPage", "count": "QueryCount", "save": "QuerySaved"}
"""The structures of what the tools of teams answer."""


@dataclass(frozen=True, slots=True)
class Targets:
    """What tools may be about."""

    records: Mapping[str, Record]
    endpoints: Mapping[str, Endpoint]
    structures: Mapping[str, Structure]
    values: Values


def build_tools(context: Context, document: Document[ToolsSpec], targets: Targets) -> tuple[Tool, ...]:
    """Resolve the tools of one file; report and omit broken ones."""
    found = []
    for position, spec in enumerate(document.spec.tools):
        spot = Spot(context, document, ("tools", position))
        if not _NAME.fullmatch(spec.name):
            rule = "write a lower-case letter, then up to 63 letters, digits and _"
            message = f'"{spec.name}" is not a tool name: {rule}'
            spot.report("SPEC020", message, "name")
        elif not document.is_system and spec.name in ONTOLOGY_TOOLS:
            message = f'"{spec.name}" is a tool of the service itself: choose another name'
            spot.report("SPEC021", message, "name")
        elif context.claim("the tool", spec.name, spot.at("name"), rule="SPEC021"):
            tool = _resolve_tool(spot, spec, targets)
            found += [tool] if tool else []
    return tuple(found)


def _resolve_tool(spot: Spot, spec: ToolSpec, targets: Targets) -> Tool | None:
    said = [deed for deed in (*DEEDS, "run") if getattr(spec, deed) is not None]
    arguments = _resolve_arguments(spot, spec, targets.values)
    if len(said) != 1:
        message = (
            f"{' and '.join(said)}: a tool does one thing" if said else f"write one of {', '.join(DEEDS)}"
        )
        spot.report("SPEC081", message)
        return None
    deed, target = said[0], str(getattr(spec, said[0]))
    settings = {word: getattr(spec, word) for word in _SETTINGS if getattr(spec, word) not in (None, False)}
    for word in settings:
        if deed not in _SETTINGS[word]:
            written = _WORDS.get(word, word)
            spot.report_key("SPEC082", f'"{written}" says nothing about {deed}', written)
    tool = Tool(
        name=spec.name,
        area=stored_area(spot, spot.document.area),
        description=spec.description,
        does=deed,
        target=target,
        settings=settings,
        arguments=arguments,
        answer=targets.structures.get(_ANSWERS.get(deed, "")),
        read_only=deed in ("query", "count"),
        destructive=_may_replace(deed, arguments),
    )
    if deed == "run":
        return _resolve_run(spot, spec, tool, targets)
    if deed == "call":
        return _resolve_call(spot, spec, tool, targets)
    if not spot.known("record", target, spot.context.records, deed):
        return None
    if record := targets.records.get(target):
        check_on_record(spot, spec, deed, record, arguments)
    return tool


def _may_replace(deed: str, arguments: Structure) -> bool:
    """Return whether a tool may write over what a record has: with an id a save replaces the record."""
    return deed == "transition" or (deed == "save" and "id" in {one.name for one in arguments.fields})


def _resolve_run(spot: Spot, spec: ToolSpec, tool: Tool, targets: Targets) -> Tool | None:
    """Resolve a tool of the service itself, whose arguments and answer are structures."""
    if not spot.document.is_system:
        spot.report_key("SPEC082", "run is for tools of the service itself: call an endpoint", "run")
        return None
    request, response = (targets.structures.get(name or "") for name in (spec.request, spec.response))
    if request is None:
        spot.known("structure", str(spec.request), spot.context.structures, "request")
        return None
    return replace(
        tool, arguments=request, answer=response, read_only=spec.read_only, destructive=spec.destructive
    )


def _resolve_remote(spot: Spot, tool: Tool) -> Tool | None:
    """Resolve a tool of an MCP server elsewhere; what it does to the things there is not known here."""
    if not _REMOTE.fullmatch(tool.target):
        message = (
            f'"{tool.target}" is not server/tool: the name of an MCP server in the settings, and its tool'
        )
        spot.report("SPEC082", message, "call")
        return None
    return replace(tool, does="remote", destructive=True)


def _resolve_call(spot: Spot, spec: ToolSpec, tool: Tool, targets: Targets) -> Tool | None:
    """Resolve a tool that calls an endpoint: it has the arguments and the answer of that."""
    if "/" in tool.target:
        return _resolve_remote(spot, tool)
    if not spot.known("endpoints", tool.target, targets.endpoints, "call"):
        return None
    endpoint = targets.endpoints[tool.target]
    if spec.arguments:
        spot.report_key("SPEC082", "the arguments are those of the endpoint: remove them", "arguments")
    if endpoint.public or endpoint.oauth or endpoint.streams:
        message = f"{tool.target} is public, a stream or a part of OAuth, which no tool calls"
        spot.report("SPEC082", message, "call")
    fields: dict[str, Field] = {}
    for one in endpoint.parameters:
        name = spot.named(PythonName.from_wire, one.name, "call") if one.location != "header" else None
        if name is not None:
            fields[one.name] = Field(one.name, name, one.type, one.description, one.required, one.default)
    for field in endpoint.request.fields if endpoint.request else ():
        if field.name in fields:
            message = f'"{field.name}" is both a parameter and a member of the request of {tool.target}'
            spot.report("SPEC082", message, "call")
        fields[field.name] = field
    own = replace(tool.arguments, fields=tuple(fields.values()))
    return replace(
        tool, arguments=own, answer=endpoint.response, endpoint=endpoint, read_only=endpoint.method == "get",
        destructive=endpoint.method in ("put", "patch", "delete"),
    )  # fmt: skip


def _resolve_arguments(spot: Spot, spec: ToolSpec, values: Values) -> Structure:
    """Return the arguments as a structure of the tool's own."""
    name = ClassName("".join(part[:1].upper() + part[1:] for part in spec.name.split("_")) + "Arguments")
    if spec.run is None:
        what, advice = f"the tool {spec.name}", ": choose another name"
        _is_free = all(
            spot.context.claim("the class", name + suffix, spot.at("name"), what, advice=advice)
            for suffix in CLASSES_OF_OBJECT
        )
    return Structure(
        name=name,
        file_name=FileName.of(name),
        area=spot.document.area,
        description=f"The arguments of the tool {spec.name}.",
        fields=tuple(_resolve_fields(spot.within("arguments"), spec, name, values)),
        source=spot.document.source,
        is_system=spot.document.is_system,
    )


def _resolve_fields(spot: Spot, spec: ToolSpec, owner: str, values: Values) -> list[Field]:
    found = []
    for name, one in spec.arguments.items():
        below = spot.within(name)
        python_name = below.named(PythonName.from_wire, name, key=True)
        kind = build_type(below, one, owner, name, build_nested_fields)
        if python_name is None or kind is None:
            continue
        check_parameter(below, one, kind, values)
        found.append(Field(name, python_name, kind, one.description, one.required, one.default, one.example))
    return found
