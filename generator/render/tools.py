"""The context of ``tools.py``: each tool with its schemas and the function that runs it."""

from typing import Any

from generator.model import Endpoint, Kind, Model, Tool
from generator.naming import PythonName
from generator.openapi import Describer, ToolSchemas, tool_schemas
from generator.render.app import endpoints_module
from generator.render.module import Assignments, Imports, call, code, code_tuple, package_of

_TOOL = "runtime.model.tool"
_GATEWAY = "runtime.gateway"
_DEEDS = {
    "query": "query_records",
    "count": "count_matching",
    "save": "save_arguments",
    "transition": "move_state",
    "remote": "call_remote",
}
"""The functions that do what tools say."""


def build_tools_module(model: Model, package: str, describer: Describer) -> Assignments:
    """Build the tools module of a model."""
    imports, schemas = Imports(), tool_schemas(model, describer)
    imports.module(_TOOL)  # by its whole name: a project may have records that are called Tool
    tools = [_render_tool(tool, schemas[tool.name], imports, package) for tool in model.tools]
    assigned = f"TOOLS: tuple[{_TOOL}.Tool, ...] = {code_tuple(tools)}"
    return Assignments.of("The tools that programs and agents use by their names.", imports, assigned)


def _render_tool(tool: Tool, schemas: ToolSchemas, imports: Imports, package: str) -> str:
    arguments = tool.arguments
    module = f"{package_of(arguments, package)}.models.{arguments.file_name}"
    return call(
        f"{_TOOL}.Tool",
        name=code(tool.name),
        area=code(tool.area),
        description=code(" ".join(tool.description.split())),
        body=imports.name(module, arguments.name),
        run=_render_run(tool, imports, package),
        arguments=code(schemas.arguments),
        answer=None if schemas.answer is None else code(schemas.answer),
        hints=_render_hints(tool),
        has_realm="True" if tool.runs else None,
        is_one_page="True" if tool.does == "query" else None,
    )


def _render_hints(tool: Tool) -> str | None:
    hints = {
        "read_only": tool.read_only,
        "destructive": tool.destructive,
        "idempotent": tool.read_only,
        "open_world": tool.does == "remote",
    }
    said = {name: "True" for name, value in hints.items() if value}
    return call(f"{_TOOL}.Hints", **said) if said else None


def _render_run(tool: Tool, imports: Imports, package: str) -> str:
    if tool.runs:
        module, _, function = tool.target.partition(":")
        return f"{imports.module(module)}.{function}"
    if tool.endpoint is not None:
        return _render_call(tool.endpoint, imports, package)
    settings: dict[str, Any] = dict(tool.settings)
    if tool.does == "remote":
        settings["area"] = tool.area
    said = {name: code(value) for name, value in settings.items()}
    if "filter" in settings and (words := _words(tool)):
        said["words"] = code(words)
    return call(imports.name(_GATEWAY, _DEEDS[tool.does]), code(tool.target), **said)


def _words(tool: Tool) -> frozenset[str]:
    """Return the arguments whose values are words that the specification lists."""
    kinds = {one.name: one.type.item or one.type for one in tool.arguments.fields}
    return frozenset(name for name, kind in kinds.items() if kind.kind in (Kind.ENUM, Kind.STATES))


def _render_call(endpoint: Endpoint, imports: Imports, package: str) -> str:
    module, request = f"{package}.routers.{endpoints_module(endpoint.area)}", endpoint.request
    later = imports.name("runtime.model.later", "Later")
    model = None
    if request is not None:
        model = imports.name(f"{package_of(request, package)}.models.{request.file_name}", request.name)
    named = {
        str(PythonName.from_wire(one.name)): str(one.python_name)
        for one in endpoint.parameters
        if one.location != "header"
    }
    return call(
        imports.name(_GATEWAY, "call_endpoint"),
        call(later, code(module), code(str(endpoint.function))),
        request=model,
        parameters=code(named) if named else None,
        takes_terms="True" if endpoint.takes_key else None,
    )
